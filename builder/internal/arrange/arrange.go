package arrange

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/vectors"
)

// Rows writes the rows of a build.
type Rows struct {
	*build.Build
	Groups *copies.Groups
	Given  *vectors.Input // with bad rows; it is not read again once the store has its own
	// Audited is the checksum of all rows by the audit, with which rows are compared as they are copied; nil or "": they are not.
	Audited func() string
}

// copy writes the good rows, in the order of the input, as the store's own.
func (r *Rows) copy() error {
	w, err := r.Draft.CreateRows(len(r.Good), r.Source.Dim(), r.Source.Type())
	if err != nil {
		return err
	}
	return r.copyTo(w)
}

// order lets a method order the good rows, and writes them in that order. It returns the input row of each
// place.
func (r *Rows) order(arrange func(given *vectors.Rows, progress func(int)) ([]uint32, error)) ([]uint32, error) {
	given, release, err := r.given()
	if err != nil {
		return nil, err
	}
	defer release()
	p := r.Begin("order", "rows", 2*int64(given.Len()))
	order, err := arrange(given, p.Add)
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

// writeOrdered writes the rows in their order, and sorts the codes that gave the order likewise, at the same
// time if they are not the rows themselves.
func (r *Rows) writeOrdered(given *vectors.Rows, order []uint32, progress func(int)) (err error) {
	write := func() error { return r.writeRows(given, r.Groups.With(order, r.Good), progress) }
	if r.Codes == nil {
		return write()
	}
	if !r.Space.RowsAreCodes() {
		written := job.Async(write)
		r.Codes, err = r.Codes.Reordered(nil, order, r.Job.Threads)
		return errors.Join(written(), err)
	}
	if err := write(); err != nil {
		return err
	}
	if err := r.mapWritten(len(order)); err != nil {
		return err
	}
	r.Codes, err = r.Codes.Reordered(r.Rows, order, r.Job.Threads)
	return err
}

// given maps the good rows in input order: the input itself if it is one mapped file without bad rows, else a
// copy in the scratch folder.
func (r *Rows) given() (rows *vectors.Rows, release func(), err error) {
	if rows, ok := r.Source.Mapped(); ok && len(r.Good) == rows.Len() {
		return rows, func() {}, nil
	}
	scratch, err := r.Draft.ScratchDir()
	if err != nil {
		return nil, nil, err
	}
	return r.spool(filepath.Join(scratch, job.InputRows))
}

// copyTo writes the good rows in input order to w and commits it.
func (r *Rows) copyTo(w *vectors.RowsWriter) error {
	out := relay{to: w}
	defer func() {
		out.wait()
		w.Abort()
	}()
	p := r.Begin("copy", "rows", int64(len(r.Good)))
	defer p.End("")
	size := r.Source.Dim() * r.Source.Type().Size()
	sum, same := r.compared()
	most := max(1, Chunk/size)
	for from := 0; from < len(r.Good); {
		run := consecutive(r.Good[from:], most)
		rows := slices.Grow(out.empty(), size*most)[:size*run]
		if err := r.Source.ReadRows(int(r.Good[from]), rows); err != nil {
			return err
		}
		sum(rows)
		if err := errors.Join(out.write(rows), r.Ctx.Err()); err != nil {
			return err
		}
		from += run
		p.Add(run)
	}
	if err := errors.Join(out.wait(), same()); err != nil {
		return err
	}
	err := w.Commit()
	r.Written()
	return err
}

// compared compares rows that are read again with those that were audited, where all are: each is given to sum, in order, and then
// same is the error of other rows. A source of a program's own may break its rule to give the same each time.
func (r *Rows) compared() (sum func(rows []byte), same func() error) {
	audited := ""
	if r.Audited != nil && len(r.Good) == r.Source.Len() {
		audited = r.Audited()
	}
	if audited == "" {
		return func([]byte) {}, func() error { return nil }
	}
	of := vectors.NewRowsSum(r.Source.Dim(), r.Source.Type())
	return of.Add, func() error {
		return audit.Compare(r.Draft.Dir(), "checksum of the input's rows, read again to copy them", audited, of.Sum())
	}
}

// Chunk is how much is read or written at a time: one mebibyte amortises a
// system call and stays in L2.
const Chunk = 1 << 20

// consecutive returns how many of the first most rows are consecutive.
func consecutive(rows []uint32, most int) int {
	n := 1
	for n < min(len(rows), most) && rows[n] == rows[n-1]+1 {
		n++
	}
	return n
}

// writeRows writes rows order[0], order[1], ... of given as the store's own. It gathers some rows while it
// writes the previous ones.
func (r *Rows) writeRows(given *vectors.Rows, order []uint32, progress func(int)) error {
	w, err := r.Draft.CreateRows(len(order), given.Dim(), given.Type())
	if err != nil {
		return err
	}
	out := relay{to: w}
	defer func() {
		out.wait() // an unreadable row ends this function while others are written
		w.Abort()
	}()
	size := given.Dim() * given.Type().Size()
	for part := range slices.Chunk(order, max(1, Chunk/size)) {
		rows := slices.Grow(out.empty(), size*len(part))
		for _, at := range part {
			rows = append(rows, given.Row(int(at))...)
		}
		if err := errors.Join(out.write(rows), r.Ctx.Err()); err != nil {
			return err
		}
		progress(len(part))
	}
	if err := out.wait(); err != nil {
		return err
	}
	err = w.Commit()
	r.Written() // before received or spooled rows are removed
	return err
}
