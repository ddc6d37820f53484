package builder

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/kdtree"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// treeUnit is how many rows are a unit of the tree method: work of some ten milliseconds.
const treeUnit = 1 << 14

// treeFrom is the number of rows from which auto takes a tree: fewer are compared with
// each other in a fifth of a second.
const treeFrom = 20_000

// treeDims is the dimension up to which a search in a tree is short on any data. Beyond
// it auto measures.
const treeDims = 3

// treeVisits is how many pairs a row may take in a tree of a sample: about as long as the
// balls method takes for a row in few dimensions.
const treeVisits, treeSample, treeQueries = 1000, 1 << 15, 256

// treeMethod finds exact lists of rows of few dimensions in a k-d tree.
type treeMethod struct {
	*run
	tree   *kdtree.Tree
	places []uint32 // places[position]; nil: they are the same
}

func (m *treeMethod) Forecast(s *plan.Shape) { s.TreeBytes = kdtree.Bytes(s.Rows) }

func (m *treeMethod) Expected(*plan.Aim) (divisions int, rounds float64) { return 0, 0 }

func (m *treeMethod) Settle() {}

// Arrange returns the order of the tree.
func (m *treeMethod) Arrange(given *vectors.Rows, progress func(int)) ([]uint32, error) {
	values, err := m.floats(given)
	if err != nil {
		return nil, err
	}
	_, order := kdtree.New(values, given.Dim(), m.opts.Threads)
	progress(given.Len())
	return order, m.Ctx.Err()
}

// floats are all elements of rows.
func (m *treeMethod) floats(rows *vectors.Rows) ([]float32, error) {
	dim := rows.Dim()
	values := make([]float32, rows.Len()*dim)
	err := vectors.Ranges(m.opts.Threads, rows.Len(), 4096, func() func(from, to int) error {
		return func(from, to int) error {
			for i := from; i < to; i++ {
				vectors.Decode(rows.Type(), rows.Row(i), values[i*dim:(i+1)*dim])
			}
			return m.Ctx.Err()
		}
	})
	return values, err
}

func (m *treeMethod) Resume() error {
	return m.LoadLists()
}

func (m *treeMethod) Prepare() error { return nil }

func (m *treeMethod) Next() (kind, stop string) {
	if len(m.State.Stages) == 0 {
		return job.ExactStage, ""
	}
	return "", "exact: every row searched in a k-d tree"
}

func (m *treeMethod) Writes(string) (stored, scratch int64, err error) {
	return m.FirstLists(), 0, nil
}

// grow makes the tree. Rows of the store lie in its order; those of a referenced file do
// not.
func (m *treeMethod) grow() error {
	values, err := m.floats(m.Rows)
	if err != nil {
		return err
	}
	if !m.opts.Reference {
		m.tree = kdtree.Ordered(values, m.Rows.Dim(), m.Order, m.opts.Threads)
		return nil
	}
	m.tree, m.places = kdtree.New(values, m.Rows.Dim(), m.opts.Threads)
	return nil
}

// Stage searches for all rows.
func (m *treeMethod) Stage(string) error {
	if err := m.grow(); err != nil {
		return err
	}
	if err := m.Replay(m.StageNumber(), m.Lists); err != nil {
		return err
	}
	units := (m.N() + treeUnit - 1) / treeUnit
	p := m.Begin("exact", "units", int64(units))
	sum, err := m.DoUnits(p, units, func() job.Work {
		s := m.tree.Searcher(m.K)
		return func(unit int) ([]store.Lists, job.Counts, error) {
			return m.search(s, unit*treeUnit, min((unit+1)*treeUnit, m.N()))
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
func (m *treeMethod) search(s *kdtree.Searcher, from, to int) ([]store.Lists, job.Counts, error) {
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

func (m *treeMethod) Finish() error {
	m.Free()
	return nil
}

func (m *treeMethod) Free() { m.tree, m.places = nil, nil }

// choose settles auto: by counts, and for data of few dimensions by how many rows a search
// in a tree visits.
func (r *run) choose() (Method, error) {
	m := r.opts.choose(len(r.Good), r.src.Dim())
	if m == Tree && !r.opts.treeKnows(r.src.Dim()) {
		return m, fmt.Errorf("builder: method tree takes rows of at most %d dimensions under euclidean or sqeuclidean, not %d under %v",
			kdtree.MaxDim, r.src.Dim(), r.opts.Metric)
	}
	if r.opts.Method != Auto || m == Parts || !r.opts.treeServes(len(r.Good), r.src.Dim()) {
		return m, nil
	}
	if r.fewVisits == nil {
		few, err := r.measureVisits()
		if err != nil {
			return m, err
		}
		r.fewVisits = &few
	}
	if *r.fewVisits {
		return Tree, nil
	}
	return m, nil
}

// treeServes reports whether a tree may be what auto takes.
func (o *Options) treeServes(n, dim int) bool {
	return o.treeKnows(dim) && n > treeFrom && o.paperOnly() == "" && o.Metric.Gathers() && o.Divisions == 0 && o.Rounds == 0
}

// treeKnows reports whether a tree knows the distance.
func (o *Options) treeKnows(dim int) bool {
	return dim <= kdtree.MaxDim && o.Distance == nil && (o.Metric == distance.Euclidean || o.Metric == distance.SqEuclidean)
}

// measureVisits reports whether searches in a tree of some rows are short.
func (r *run) measureVisits() (bool, error) {
	dim, size := r.src.Dim(), r.src.Type().Size()
	if dim <= treeDims {
		return true, nil
	}
	n := min(len(r.Good), treeSample)
	values, row := make([]float32, n*dim), make([]byte, dim*size)
	for i := range n {
		at := r.Good[int64(i)*int64(len(r.Good))/int64(n)]
		if err := r.src.ReadRows(int(at), row); err != nil {
			return false, err
		}
		vectors.Decode(r.src.Type(), row, values[i*dim:(i+1)*dim])
	}
	tree, _ := kdtree.New(values, dim, r.opts.Threads)
	return tree.Visits(r.opts.K, treeQueries) <= treeVisits, nil
}
