package refine

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/aside"
	"github.com/knng/knng/vectors/distance"
)

// noPlace marks a row without a list.
const noPlace = points.NoPlace

// audit reads new vectors once: every value is looked at before anything is
// built on it, and their checksum names the result.
func (r *run) audit() error {
	v := r.opts.Vectors
	if v == nil {
		return nil
	}
	p := r.Begin("audit", "rows", int64(v.Len()))
	report, err := vectors.Audit(v, vectors.AuditOptions{Context: r.Ctx, Progress: p.Add, Threads: r.opts.Threads})
	if err != nil {
		return err
	}
	p.End("%d rows of %d %s", v.Len(), v.Dim(), v.Type())
	r.checksum = audit.Text(report.Checksum)
	for _, rows := range []*[]uint32{&report.NonFinite, &report.TooLarge, &report.Zero, &report.Constant} {
		if *rows, err = r.listed(*rows); err != nil {
			return err
		}
	}
	bad := audit.Of(report, audit.RulesOf(r.opts.Metric))
	if len(bad.Rows) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d of the new vectors, the first %s: %s", builder.ErrBadRows, len(bad.Rows), vectors.RowName(v.Files, int(bad.Rows[0])), bad.Why)
}

// listed are those of some rows that have a list: the vectors of others are never looked at.
func (r *run) listed(rows []uint32) (some []uint32, err error) {
	for _, row := range rows {
		list, err := r.g1.Neighbors(store.Row(row), nil)
		if err != nil {
			return nil, err
		}
		if len(list) > 0 {
			some = append(some, row)
		}
	}
	return some, nil
}

// layout carries over the ids and the order, which do not depend on the distance, and brings the
// rows into the store.
func (r *run) layout() error {
	if err := r.takeOrder(); err != nil {
		return err
	}
	if err := r.takeIDs(); err != nil {
		return err
	}
	if r.Draft.Manifest().Vectors == "copy" {
		if err := r.takeRows(); err != nil {
			return err
		}
	}
	if r.own() {
		return nil
	}
	return r.mapRows()
}

// takeOrder reads the order of G1 and commits it.
func (r *run) takeOrder() error {
	in, order, err := r.g1.Vectors()
	if err != nil {
		return err
	}
	in.Close()
	r.Order, r.K = order, max(0, min(r.opts.K, len(order)-1))
	r.placeOf = slices.Repeat([]uint32{noPlace}, r.g1.Len())
	for place, row := range order {
		if int(row) >= len(r.placeOf) {
			return fmt.Errorf("%w: place %d is of row %d, want below %d", store.ErrCorrupt, place, row, len(r.placeOf))
		}
		r.placeOf[row] = uint32(place)
	}
	have, err := r.Draft.Order()
	if err != nil || slices.Equal(have, order) && have != nil {
		return err
	}
	return r.Draft.CommitOrder(order)
}

// takeIDs carries external ids over, by a file of lines as the store reads them.
func (r *run) takeIDs() (err error) {
	if !r.g1.Info().IDs {
		return nil
	}
	if done, err := r.Draft.IDsDone(); done || err != nil {
		return err
	}
	path, err := r.scratch("ids-given")
	if err != nil {
		return err
	}
	f, err := aside.Fresh(path)
	if err != nil {
		return fmt.Errorf("refine: %w", err)
	}
	defer os.Remove(path)
	defer f.Close()
	if err := r.writeIDs(f); err != nil {
		return fmt.Errorf("refine: ids: %w", err)
	}
	return r.Draft.CommitIDs(r.Ctx, f, path, r.g1.Len(), nil)
}

// writeIDs writes the ids of G1, and goes back to the first.
func (r *run) writeIDs(f *os.File) error {
	w := bufio.NewWriter(f)
	for row := range r.g1.Len() {
		id, err := r.g1.ID(store.Row(row))
		if err != nil {
			return err
		}
		fmt.Fprintln(w, id) // Flush tells of an error
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// takeRows writes the store's own rows in the order of places: the new vectors
// where there are any, else those of G1.
func (r *run) takeRows() error {
	if ok, err := r.Draft.HasRows(); ok || err != nil {
		return err // written in an earlier run: it got its name when it was whole
	}
	src, indexOf := r.opts.Vectors, func(place int) int { return int(r.Order[place]) }
	if r.own() {
		in, _, err := r.g1.Vectors()
		if err != nil {
			return err
		}
		defer in.Close()
		src, indexOf = in, func(place int) int { return place }
	}
	p := r.Begin("rows", "rows", int64(r.N()))
	defer p.End("")
	w, err := r.Draft.CreateRows(r.N(), src.Dim(), src.Type())
	if err != nil {
		return err
	}
	defer w.Abort()
	row := make([]byte, src.Dim()*src.Type().Size())
	for place := range r.N() {
		if place%tick == 0 {
			p.Add(min(tick, r.N()-place))
			if err := r.Ctx.Err(); err != nil {
				return err
			}
		}
		if err := src.ReadRows(indexOf(place), row); err != nil {
			return err
		}
		if _, err := w.Write(row); err != nil {
			return err
		}
	}
	return w.Commit()
}

// mapRows maps the rows that the metric compares.
func (r *run) mapRows() (err error) {
	v := r.opts.Vectors
	if r.Space, err = distance.New(r.opts.Metric, v.Type(), v.Dim()); err != nil {
		return err
	}
	if r.Rows, err = r.Draft.Rows(); err != nil {
		return err
	}
	if r.Rows.Len() != r.N() || r.Rows.Dim() != v.Dim() || r.Rows.Type() != v.Type() {
		return fmt.Errorf("%w: %s has %d rows of %d %s, want %d of %d %s", store.ErrCorrupt, r.Draft.RowsPath(),
			r.Rows.Len(), r.Rows.Dim(), r.Rows.Type(), r.N(), v.Dim(), v.Type())
	}
	r.Norms, err = r.NormsOf(r.Rows)
	return err
}
