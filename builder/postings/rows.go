package postings

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/sparse"
)

// findings are those of the first reading, as recorded in the store.
type findings struct {
	audit.Bad
	Found sparse.Found `json:"found"`

	longest float64 // squared norm
}

// layout writes the store's own rows, and their order, or takes up those of an earlier run.
func (r *run) layout() (err error) {
	if r.order, err = r.Draft.Order(); err != nil {
		return err
	}
	if r.order == nil {
		err = r.write()
	} else if _, err = r.Draft.Load(audit.Record, &r.audit); err == nil {
		m := r.Draft.Manifest()
		err = unchanged(r.Ctx, r.Draft.Dir(), &m, r.src, r.audit.Checksum)
	}
	if err != nil {
		return err
	}
	if r.rows, err = r.Draft.Sparse(); err != nil {
		return err
	}
	if r.rows.Len() != len(r.order) {
		return fmt.Errorf("%w: %s has %d rows, the order %d", store.ErrCorrupt, r.Draft.RowsPath(), r.rows.Len(), len(r.order))
	}
	r.k = max(0, min(r.opts.K, len(r.order)-1))
	r.State.Rows = len(r.order)
	r.outputs = r.src.Len()
	if r.opts.BadRows == builder.Drop {
		r.outputs = len(r.order)
	}
	return r.Save()
}

// write reads the matrix, looks at every value, and writes the good rows.
func (r *run) write() error {
	if err := r.RoomFor("the copy of the rows", 8*r.src.Nonzeros()+12*int64(r.src.Len()), 0); err != nil {
		return err
	}
	p := r.Begin("rows", "rows", int64(r.src.Len()))
	h := xxhash.New()
	var good []uint32
	err := r.Draft.WriteSparse(func(to io.Writer) error {
		w, err := sparse.NewWriter(to, r.src.Columns())
		if err != nil {
			return err
		}
		r.audit.Found, err = r.src.Each(r.Ctx, func(row int, columns []uint32, values []float32) error {
			p.Add(1)
			hashRow(h, columns, values)
			if why := r.bad(columns, values); why != "" {
				if len(r.audit.Rows) == 0 {
					r.audit.Why = why
				}
				r.audit.Rows = append(r.audit.Rows, uint32(row))
				return nil
			}
			good = append(good, uint32(row))
			return w.Add(columns, values)
		})
		if err != nil {
			return err
		}
		if err := r.judge(len(good)); err != nil {
			return err
		}
		return w.Close()
	})
	if err != nil {
		return err
	}
	r.audit.Checksum = audit.Text(h.Sum64())
	f := r.audit.Found
	p.End("%d rows of %d columns, %d nonzeros, %.1f a row", r.src.Len(), r.src.Columns(), f.Nonzeros, float64(f.Nonzeros)/float64(r.src.Len()))
	if f.Rounded > 0 {
		r.Say("%d values of float64 were rounded to float32, by at most %.1e of themselves", f.Rounded, f.Largest)
	}
	if f.Added > 0 || f.Zeros > 0 {
		r.Say("%d values of repeated columns were added up, %d stored zeros left out", f.Added, f.Zeros)
	}
	return r.commitOrder(good)
}

// commitOrder records the findings, and the rows that are there.
func (r *run) commitOrder(good []uint32) error {
	if err := r.Draft.Record(audit.Record, &r.audit); err != nil {
		return err
	}
	if r.opts.BadRows == builder.Drop {
		for i := range good {
			good[i] = uint32(i)
		}
	}
	r.order = good
	return r.Draft.CommitOrder(good)
}

// bad says why a row cannot be in a graph; "" if it can.
func (r *run) bad(columns []uint32, values []float32) string {
	square := 0.0
	for i, v := range values {
		if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprintf("it has the value %v in column %d", v, columns[i])
		}
		square += float64(v) * float64(v)
	}
	r.audit.longest = max(r.audit.longest, square)
	switch {
	case r.opts.Metric == distance.Cosine && len(values) == 0:
		return "it is all zeros, which has no cosine"
	case r.opts.Metric == distance.IP && square > math.MaxFloat32/4:
		return "its squared norm is beyond a quarter of the largest float32, so distances would overflow"
	}
	return ""
}

// smallest is the squared norm under which inner products are no float32 of full precision.
const smallest = 1.0 / (1 << 50) / (1 << 50)

// judge refuses an input without good rows, or with bad ones where these are an error.
func (r *run) judge(good int) error {
	bad := r.audit.Rows
	switch {
	case len(bad) > 0 && r.opts.BadRows == builder.Reject:
		return r.audit.Reject(r.src.Len(), []vectors.File{r.src.File})
	case good == 0:
		return fmt.Errorf("%w: all %d, the first: %s; none is left to build a graph of", builder.ErrBadRows, len(bad), r.audit.Why)
	case r.opts.Metric == distance.IP && r.audit.longest > 0 && r.audit.longest < smallest:
		return fmt.Errorf("%w: the longest has the squared norm %.3g, so inner products would vanish in float32: multiply the matrix by a power of two", builder.ErrBadRows, r.audit.longest)
	}
	return nil
}

// hashRow adds a row to a checksum.
func hashRow(h *xxhash.Digest, columns []uint32, values []float32) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(len(columns)))
	h.Write(b[:])
	for i, c := range columns {
		binary.LittleEndian.PutUint32(b[:], c)
		binary.LittleEndian.PutUint32(b[4:], math.Float32bits(values[i]))
		h.Write(b[:])
	}
}

// unchanged returns an error where the input is not the one that was audited: all rows are
// compared where its file has been written to since.
func unchanged(ctx context.Context, dir string, m *store.Manifest, src *sparse.Source, audited string) error {
	if len(m.Files) == 1 && m.Files[0].ModTime == src.File.ModTime {
		return nil
	}
	h := xxhash.New()
	_, err := src.Each(ctx, func(_ int, columns []uint32, values []float32) error {
		hashRow(h, columns, values)
		return nil
	})
	if err != nil {
		return err
	}
	if sum := audit.Text(h.Sum64()); sum != audited {
		return &store.MismatchError{Dir: dir, Differences: []store.Difference{{Name: "checksum of the input's rows", Have: audited, Want: sum}}}
	}
	return nil
}

// finished reads the result of a store that is sealed.
func finished(ctx context.Context, dir string, src *sparse.Source) (*builder.Result, error) {
	s, err := store.Open(dir, &store.Options{AsBuilt: true})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	result, found := new(builder.Result), findings{}
	for name, v := range map[string]any{audit.Record: &found, "result": result} {
		if ok, err := s.Record(name, v); err != nil || !ok {
			return nil, errors.Join(err, fmt.Errorf("%w: %s has no record %q", store.ErrCorrupt, dir, name))
		}
	}
	m := s.Info().Manifest
	return result, unchanged(ctx, dir, &m, src, found.Checksum)
}
