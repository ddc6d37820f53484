// Package tree is the method that finds exact lists of rows of few dimensions in a k-d tree.
package tree

import (
	"cmp"
	"slices"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/kdtree"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// unitRows is the number of rows of a unit: about ten milliseconds of work.
const unitRows = 1 << 14

// Method is a build by the tree method.
type Method struct {
	*build.Build
	tree   *kdtree.Tree
	places []uint32 // places[position]; nil: they are the same
}

// New returns the method of a build.
func New(b *build.Build) *Method { return &Method{Build: b} }

func (m *Method) Forecast(s *plan.Shape) { s.Kind, s.TreeBytes = plan.Searches, kdtree.Bytes(s.Rows) }

func (m *Method) Expected(*plan.Aim) (divisions int, rounds float64) { return 0, 0 }

func (m *Method) Settle() {}

// Arrange returns the order of the tree.
func (m *Method) Arrange(given *vectors.Rows, progress func(int)) ([]uint32, error) {
	values, err := m.floats(given)
	if err != nil {
		return nil, err
	}
	_, order := kdtree.New(values, given.Dim(), m.Job.Threads)
	progress(given.Len())
	return order, m.Ctx.Err()
}

// floats returns all elements of rows.
func (m *Method) floats(rows *vectors.Rows) ([]float32, error) {
	dim := rows.Dim()
	values := make([]float32, rows.Len()*dim)
	err := vectors.Ranges(m.Job.Threads, rows.Len(), 4096, func() func(from, to int) error {
		return func(from, to int) error {
			for i := from; i < to; i++ {
				vectors.Decode(rows.Type(), rows.Row(i), values[i*dim:(i+1)*dim])
			}
			return m.Ctx.Err()
		}
	})
	return values, err
}

func (m *Method) Resume() error {
	return m.LoadLists()
}

func (m *Method) Prepare() error { return nil }

func (m *Method) Next() (kind, stop string) {
	if len(m.State.Stages) == 0 {
		return job.ExactStage, ""
	}
	return "", "exact: every row searched in a k-d tree"
}

func (m *Method) Writes(string) (stored, scratch int64, err error) {
	return m.FirstLists(), 0, nil
}

// grow makes the tree. Rows of the store are in its order; those of a referenced file are not.
func (m *Method) grow() error {
	values, err := m.floats(m.Rows)
	if err != nil {
		return err
	}
	if !m.Set.Reference {
		m.tree = kdtree.Ordered(values, m.Rows.Dim(), m.Order, m.Job.Threads)
		return nil
	}
	m.tree, m.places = kdtree.New(values, m.Rows.Dim(), m.Job.Threads)
	return nil
}

// Stage searches for all rows.
func (m *Method) Stage(string) error {
	if err := m.grow(); err != nil {
		return err
	}
	if err := m.Replay(m.StageNumber(), m.Lists); err != nil {
		return err
	}
	units := (m.N() + unitRows - 1) / unitRows
	p := m.Begin("exact", "units", int64(units))
	sum, err := m.DoUnits(p, units, func() job.Work {
		s := m.tree.Searcher(m.K)
		return func(unit int) ([]store.Lists, job.Counts, error) {
			return m.search(s, unit*unitRows, min((unit+1)*unitRows, m.N()))
		}
	})
	if err != nil {
		return err
	}
	err = m.EndStage(job.Stage{Kind: job.ExactStage, Number: 1, Requested: sum.Requested, Evaluated: sum.Evaluated})
	p.End("tree: %.0f pairs a row", float64(sum.Requested)/float64(m.N()))
	return err
}

// search sets the lists of the rows at some positions and returns them as a block.
func (m *Method) search(s *kdtree.Searcher, from, to int) ([]store.Lists, job.Counts, error) {
	s.Compared = 0
	places := make([]uint32, 0, to-from)
	for position := from; position < to; position++ {
		if position%256 == 0 && m.Ctx.Err() != nil {
			return nil, job.Counts{}, m.Ctx.Err()
		}
		ids, keys := s.Nearest(position)
		place := uint32(position)
		if m.places != nil {
			place = m.places[position]
			for i, id := range ids {
				ids[i] = m.places[id]
			}
		}
		m.Lists.Set(place, ids, keys)
		places = append(places, place)
	}
	slices.SortFunc(places, cmp.Compare[uint32])
	var block store.Lists
	for _, place := range places {
		ids, keys := m.Lists.List(place)
		block.Append(place, ids, keys)
	}
	return []store.Lists{block}, job.Counts{Requested: s.Compared, Evaluated: s.Compared}, nil
}

func (m *Method) Finish() error {
	m.Free()
	return nil
}

func (m *Method) Free() { m.tree, m.places = nil, nil }
