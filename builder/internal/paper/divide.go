package paper

import (
	"fmt"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/cache"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// Method is a build by the paper's method.
type Method struct {
	*build.Build
	opts   Options
	shared *cache.SharedLeaf
}

// Options are the options that only the paper's method reads.
type Options struct {
	Trigger  float64 // effective rate below which divisions end
	Visits   int     // points visited around a row
	Pairwise bool    // a pair updates both lists
	InPlace  bool    // propagation reads the lists that it writes
	Reuse    bool    // propagation reuses computed keys
}

// New returns the paper's method on a build.
func New(b *build.Build, o Options) *Method {
	return &Method{Build: b, opts: o}
}

func (m *Method) Forecast(s *plan.Shape) {
	s.Kind = plan.Leaves
	if m.BytesAreKeys() {
		m.CountCodes(s)
	} else if m.Own == nil {
		s.CodeBytes, s.ViewCodes = 4, true // products
	}
}

func (m *Method) Expected(aim *plan.Aim) (divisions int, rounds float64) { return aim.Paper() }

func (m *Method) Settle() {}

func (m *Method) Arrange(given *vectors.Rows, progress func(int)) ([]uint32, error) {
	norms, err := m.NormsOf(given)
	if err != nil {
		return nil, err
	}
	leaves, err := m.Tree(given, norms, m.Good, progress).Divide(m.Ctx, 0)
	if err != nil {
		return nil, err
	}
	return leaves.Places, nil
}

func (m *Method) Resume() error {
	m.shared = cache.NewSharedLeaf(m.N())
	if err := m.LoadLists(); err != nil {
		return err
	}
	return m.loadLabels()
}

func (m *Method) Prepare() error { return nil }

func (m *Method) Writes(kind string) (stored, scratch int64, err error) {
	if kind != job.DivisionStage {
		return 0, 0, nil
	}
	return m.FirstLists() + 4*int64(m.N()), 0, nil // leaf numbers
}

func (m *Method) Stage(kind string) error {
	switch kind {
	case job.PropagationStage:
		return m.propagate()
	case job.ListsStage:
		return m.goExact()
	case job.JoinStage:
		return m.JoinSteering()
	}
	return m.divide()
}

func (m *Method) Finish() error { return nil }

func (m *Method) Free() {}

// divide runs one division: carve, solve the leaves, merge.
func (m *Method) divide() error {
	number := m.State.Count(job.DivisionStage) + 1
	leaves, labels, err := m.carveDivision(number)
	if err != nil {
		return err
	}
	batches := batchLeaves(leaves)
	p := m.Begin(fmt.Sprintf("division %d", number), "units", int64(len(batches)))
	if err := m.Replay(m.StageNumber(), m.Lists); err != nil {
		return err
	}
	sum, err := m.DoUnits(p, len(batches), func() job.Work { return m.paperLeaves(leaves, batches, number) })
	if err != nil {
		return err
	}
	if number < job.MaxDivisions {
		m.shared.Add(labels)
	}
	st := job.Stage{Kind: job.DivisionStage, Number: number, Requested: sum.Requested, Evaluated: sum.Evaluated, New: sum.New}
	if found := m.State.Sums().New + sum.New; found > 0 {
		st.Rate = float64(sum.New) / float64(found)
	}
	err = m.EndStage(st)
	p.End("division %d: effective rate %.4f%s", number, st.Rate, m.SteerNote())
	return err
}

// carveDivision makes the division, or reads the one committed earlier.
func (m *Method) carveDivision(number int) (*division.Leaves, []uint32, error) {
	labels, ok, err := m.Draft.Labels(uint32(number), nil, nil)
	if err != nil {
		return nil, nil, err
	}
	if ok && len(labels) != m.N() {
		return nil, nil, fmt.Errorf("%w: leaf numbers of division %d: %d, want %d", store.ErrCorrupt, number, len(labels), m.N())
	}
	if ok {
		return division.FromLabels(labels), labels, nil
	}
	p := m.Begin(fmt.Sprintf("division %d: carve", number), "rows", int64(m.N()))
	leaves, err := m.Tree(m.Rows, m.Norms, m.Order, p.Add).Divide(m.Ctx, uint32(number))
	if err != nil {
		return nil, nil, err
	}
	labels = leaves.Labels()
	p.End("")
	return leaves, labels, m.Draft.CommitLabels(uint32(number), labels, nil)
}

// unitRows is about the number of rows of a unit of leaves. Wrong if smaller: the syncs of its commit are
// noticeable. Wrong if larger: a kill loses more, and the last unit keeps one thread waiting.
const unitRows = 32768

// batchLeaves groups consecutive leaves into units; bounds[u] and bounds[u][1]
// are the first leaf and the one past the last.
func batchLeaves(l *division.Leaves) (bounds [][2]int) {
	rows := min(unitRows, max(1024, len(l.Places)/16))
	for from := 0; from < l.Len(); {
		to := from + 1
		for to < l.Len() && int(l.Starts[to+1]-l.Starts[from]) <= rows {
			to++
		}
		bounds = append(bounds, [2]int{from, to})
		from = to
	}
	return bounds
}

// paperLeaves solves the leaves of one unit after another. A place is in one leaf of a division, so no other
// goroutine touches its list.
func (m *Method) paperLeaves(leaves *division.Leaves, batches [][2]int, number int) job.Work {
	w := &paperLeafSolver{Method: m, solver: m.Solver(), first: number == 1}
	return func(unit int) ([]store.Lists, job.Counts, error) {
		var counts job.Counts
		var blocks []store.Lists
		for i := batches[unit][0]; i < batches[unit][1]; i++ {
			block, c, err := w.solve(leaves.Leaf(i))
			if err != nil {
				return nil, counts, fmt.Errorf("builder: leaf %d: %w", i, err)
			}
			counts.Add(c)
			if len(block.Rows) > 0 {
				blocks = append(blocks, block)
			}
			if err := m.Ctx.Err(); err != nil {
				return nil, counts, err
			}
		}
		return blocks, counts, nil
	}
}

// paperLeafSolver holds the buffers of one goroutine.
type paperLeafSolver struct {
	*Method
	solver *leaf.Solver
	bitmap cache.Bitmap
	before knn.Snapshot
	first  bool // no earlier divisions: no pair was computed
}

// solve evaluates a leaf, merges its lists into the present ones, and returns the new entries: those of the
// leaf that were not in the lists.
func (w *paperLeafSolver) solve(places []uint32) (block store.Lists, c job.Counts, err error) {
	c.New = int64(len(places)) * int64(len(places)-1) / 2
	if !w.first {
		c.New -= w.shared.Seen(places, &w.bitmap)
	}
	w.before.Take(w.Lists, places)
	count, err := w.evaluate(places)
	c.Requested, c.Evaluated = count.Requested, count.Evaluated
	block.Reset()
	w.before.Added(w.Lists, block.Append)
	return block, c, err
}

func (w *paperLeafSolver) evaluate(places []uint32) (leaf.Count, error) {
	if !w.opts.Pairwise {
		return w.solver.SolveBothWays(places, func(i int, js []uint32, keys []float32) {
			w.Lists.OfferOne(places, i, js, keys)
		})
	}
	both := func(i int, js []uint32, keys []float32) { w.Lists.OfferBoth(places, i, js, keys) }
	if w.Skip && !w.first {
		return w.solver.Solve(places, w.bitmap.Bits, w.bitmap.Words, both)
	}
	return w.solver.Solve(places, nil, 0, both)
}
