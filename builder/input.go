package builder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/vectors"
)

// layout decides the method, gives every row its place, and writes the store's
// own rows in that order: rows that are near each other come to lie near each
// other, so that leaves and propagation find them in the same pages. The order
// is one more division. Of the graph only the first leaves of the balls method depend
// on it.
func (r *run) layout() (err error) {
	if err := r.loadOrder(); err != nil {
		return err
	}
	if r.Order == nil {
		if err := r.chooseMethod(); err != nil {
			return err
		}
		if err := r.makeOrder(); err != nil {
			return err
		}
	}
	if !r.opts.Reference {
		if err := r.given.Drop(); err != nil {
			return err
		}
		r.Received.Store(r.given.Received())
		_ = r.given.Rest() // the store has rows of its own; a hint
	}
	return r.commitIDs()
}

// chooseMethod settles auto once and for all.
func (r *run) chooseMethod() error {
	r.State.Rows = len(r.Good)
	method, err := r.choose()
	if err != nil {
		return err
	}
	r.take(method)
	r.method.Settle()
	return r.Save()
}

// makeOrder finds the locality order and writes the rows in it. In parts they stay in
// the order in which they came.
func (r *run) makeOrder() (err error) {
	if err := r.roomForOrder(); err != nil {
		return err
	}
	if r.traits.inOrder && !r.opts.Reference {
		r.Order = r.Good
		err = r.copyRows()
	} else {
		err = r.orderRows()
	}
	if err != nil {
		return err
	}
	order := r.Order
	if len(r.copies) > 0 {
		order = slices.Concat(order, r.copies)
	}
	return r.Draft.CommitOrder(order)
}

func (r *run) orderRows() error {
	given, release, err := r.givenRows()
	if err != nil {
		return err
	}
	defer release()
	r.Order = r.Good
	if !r.opts.Reference {
		r.Order, err = r.carve(given)
	}
	return err
}

// copyRows writes the good rows as they come as the store's own.
func (r *run) copyRows() error {
	w, err := r.Draft.CreateRows(len(r.Good), r.src.Dim(), r.src.Type())
	if err != nil {
		return err
	}
	return r.copyTo(w)
}

// carve orders the good rows as the method wants them and copies them.
func (r *run) carve(given *vectors.Rows) ([]uint32, error) {
	p := r.Begin("order", "rows", 2*int64(given.Len()))
	order, err := r.method.Arrange(given, p.Add)
	if err != nil {
		return nil, err
	}
	if err := r.writeOrdered(given, order, p.Add); err != nil {
		return nil, err
	}
	for i, at := range order {
		order[i] = r.Good[at]
	}
	p.End("")
	return order, nil
}

// writeOrdered writes the rows in their order and puts the codes that it was found by in
// that order, at the same time where these are not the rows themselves.
func (r *run) writeOrdered(given *vectors.Rows, order []uint32, progress func(int)) (err error) {
	write := func() error { return r.writeRows(given, r.withCopies(order), progress) }
	if r.Codes == nil {
		return write()
	}
	if !r.Space.RowsAreCodes() {
		written := job.Async(write)
		r.Codes, err = r.Codes.Reordered(nil, order, r.opts.Threads)
		return errors.Join(written(), err)
	}
	if err := write(); err != nil {
		return err
	}
	if err := r.mapRowsWritten(len(order)); err != nil {
		return err
	}
	r.Codes, err = r.Codes.Reordered(r.Rows, order, r.opts.Threads)
	return err
}

// givenRows maps the good rows in input order: the input itself where it is one
// mapped file without bad rows, else a copy in the scratch folder.
func (r *run) givenRows() (rows *vectors.Rows, release func(), err error) {
	if rows, ok := r.src.Mapped(); ok && len(r.Good) == rows.Len() {
		return rows, func() {}, nil
	}
	if r.opts.Reference {
		return nil, nil, fmt.Errorf("%w: a file with bad rows cannot be referenced: begin anew, and let the store copy the others", ErrReference)
	}
	scratch, err := r.Draft.ScratchDir()
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(scratch, job.InputRows)
	if err := r.spool(path); err != nil {
		return nil, nil, err
	}
	if rows, err = vectors.OpenRows(path); err != nil {
		return nil, nil, err
	}
	return rows, func() { rows.Close(); os.Remove(path) }, nil
}

// spool copies the good rows to a row file in input order.
func (r *run) spool(path string) error {
	w, err := vectors.CreateRows(path, len(r.Good), r.src.Dim(), r.src.Type())
	if err != nil {
		return err
	}
	return r.copyTo(w)
}

// copyTo writes the good rows in input order to w and commits it.
func (r *run) copyTo(w *vectors.RowsWriter) error {
	defer w.Abort()
	p := r.Begin("copy", "rows", int64(len(r.Good)))
	defer p.End("")
	size := r.src.Dim() * r.src.Type().Size()
	buf := make([]byte, size*max(1, copyBytes/size))
	for from := 0; from < len(r.Good); {
		run := consecutive(r.Good[from:], len(buf)/size)
		if err := r.src.ReadRows(int(r.Good[from]), buf[:run*size]); err != nil {
			return err
		}
		if _, err := w.Write(buf[:run*size]); err != nil {
			return err
		}
		from += run
		p.Add(run)
		if err := r.Ctx.Err(); err != nil {
			return err
		}
	}
	err := w.Commit()
	r.Written()
	return err
}

// copyBytes is how much is read or written at a time: one mebibyte amortises a
// system call and stays in L2.
const copyBytes = 1 << 20

// consecutive is how many of the first most rows follow one another.
func consecutive(rows []uint32, most int) int {
	n := 1
	for n < min(len(rows), most) && rows[n] == rows[n-1]+1 {
		n++
	}
	return n
}

// writeRows writes rows order[0], order[1], ... of given as the store's own: some are
// gathered while those before them are written.
func (r *run) writeRows(given *vectors.Rows, order []uint32, progress func(int)) error {
	w, err := r.Draft.CreateRows(len(order), given.Dim(), given.Type())
	if err != nil {
		return err
	}
	written := func() error { return nil }
	defer func() {
		written() // a row that cannot be read ends this while others are written
		w.Abort()
	}()
	size := given.Dim() * given.Type().Size()
	var room [2][]byte
	for part := range slices.Chunk(order, max(1, copyBytes/size)) {
		rows := room[0][:0]
		for _, at := range part {
			rows = append(rows, given.Row(int(at))...)
		}
		err := written()
		if err == nil {
			err = r.Ctx.Err()
		}
		if err != nil {
			return err
		}
		written = job.Async(func() error {
			_, err := w.Write(rows)
			return err
		})
		room = [2][]byte{room[1], rows}
		progress(len(part))
	}
	if err := written(); err != nil {
		return err
	}
	err = w.Commit()
	r.Written() // before what was received or spooled goes
	return err
}

func (r *run) commitIDs() error {
	if !r.opts.named() {
		return nil
	}
	done, err := r.Draft.IDsDone()
	if err != nil || done {
		return err
	}
	p := r.Begin("ids", "rows", int64(r.src.Len()))
	defer p.End("")
	var dropped []uint32
	if r.opts.BadRows == Drop {
		dropped = r.bad.Rows
	}
	ids, name, err := r.opts.openIDs()
	if err != nil {
		return err
	}
	defer ids.Close()
	return r.Draft.CommitIDs(r.Ctx, ids, name, r.src.Len(), dropped)
}
