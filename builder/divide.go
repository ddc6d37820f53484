package builder

import (
	"fmt"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/builder/union"
	"github.com/knng/knng/cache"
	"github.com/knng/knng/store"
)

// divide runs one division: carve, solve the leaves, unite.
func (r *run) divide() error {
	number := r.state.count(divisionStage) + 1
	leaves, labels, err := r.carveDivision(number)
	if err != nil {
		return err
	}
	batches := batchLeaves(leaves)
	p := r.begin(fmt.Sprintf("division %d", number), "units", int64(len(batches)))
	if err := r.replay(r.stageNumber(), r.lists); err != nil {
		return err
	}
	sum, err := r.doUnits(p, len(batches), func() unitWork { return r.paperLeaves(leaves, batches, number) })
	if err != nil {
		return err
	}
	if number < MaxDivisions {
		r.shared.Add(labels)
	}
	st := stage{Kind: divisionStage, Number: number, Requested: sum.Requested, Evaluated: sum.Evaluated, New: sum.New}
	if found := r.state.sums().New + sum.New; found > 0 {
		st.Rate = float64(sum.New) / float64(found)
	}
	err = r.endStage(st)
	p.End("division %d: effective rate %.4f%s", number, st.Rate, r.steerNote())
	return err
}

// carveDivision makes the division, or reads the one committed before.
func (r *run) carveDivision(number int) (*division.Leaves, []uint32, error) {
	labels, ok, err := r.draft.Labels(uint32(number), nil, nil)
	if err != nil {
		return nil, nil, err
	}
	if ok && len(labels) != r.n() {
		return nil, nil, fmt.Errorf("%w: leaf numbers of division %d: %d, want %d", store.ErrCorrupt, number, len(labels), r.n())
	}
	if ok {
		return division.FromLabels(labels), labels, nil
	}
	p := r.begin(fmt.Sprintf("division %d: carve", number), "rows", int64(r.n()))
	leaves, err := r.tree(r.rows, r.norms, r.order, p.Add).Divide(r.ctx, uint32(number))
	if err != nil {
		return nil, nil, err
	}
	labels = leaves.Labels()
	p.End("")
	return leaves, labels, r.draft.CommitLabels(uint32(number), labels, nil)
}

// unitRows is about how many rows a unit of leaves has: large enough that the
// syncs of its commit vanish beside the work, small enough that a kill loses
// little of it and that the last unit does not keep one thread waiting.
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

// paperLeaves solves the leaves of one unit after another. A place stands in one
// leaf of a division, so no other worker touches its list.
func (r *run) paperLeaves(leaves *division.Leaves, batches [][2]int, number int) unitWork {
	w := &paperLeafSolver{run: r, solver: r.solver(), first: number == 1}
	return func(unit int) ([]store.Lists, unitCounts, error) {
		var counts unitCounts
		var blocks []store.Lists
		for i := batches[unit][0]; i < batches[unit][1]; i++ {
			block, c, err := w.solve(leaves.Leaf(i))
			if err != nil {
				return nil, counts, fmt.Errorf("builder: leaf %d: %w", i, err)
			}
			counts.add(c)
			if len(block.Rows) > 0 {
				blocks = append(blocks, block)
			}
			if err := r.ctx.Err(); err != nil {
				return nil, counts, err
			}
		}
		return blocks, counts, nil
	}
}

// paperLeafSolver is one worker's tools.
type paperLeafSolver struct {
	*run
	solver *leaf.Solver
	bitmap cache.Bitmap
	before union.Snapshot
	first  bool // no earlier divisions: nothing has been seen
}

// solve evaluates a leaf, unites its lists with the running ones, and returns
// what they gained: the leaf's subgraph, less what the union had already.
func (w *paperLeafSolver) solve(places []uint32) (block store.Lists, c unitCounts, err error) {
	c.New = int64(len(places)) * int64(len(places)-1) / 2
	if !w.first {
		c.New -= w.shared.Seen(places, &w.bitmap)
	}
	w.before.Take(w.lists, places)
	count, err := w.evaluate(places)
	c.Requested, c.Evaluated = count.Requested, count.Evaluated
	block.Reset()
	w.before.Added(w.lists, block.Append)
	return block, c, err
}

func (w *paperLeafSolver) evaluate(places []uint32) (leaf.Count, error) {
	if w.opts.Pairwise == Off {
		return w.solver.SolveBothWays(places, func(i int, js []uint32, keys []float32) {
			w.lists.OfferOne(places, i, js, keys)
		})
	}
	both := func(i int, js []uint32, keys []float32) { w.lists.OfferBoth(places, i, js, keys) }
	if w.skip && !w.first {
		return w.solver.Solve(places, w.bitmap.Bits, w.bitmap.Words, both)
	}
	return w.solver.Solve(places, nil, 0, both)
}
