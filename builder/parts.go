package builder

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/parts"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// The parts method: divisions into overlapping leaves on one level, all pairs in a
// leaf, and nothing in memory but a group of leaves (package parts). What a group
// finds is a unit of the stage, kept by the store; before the next division the units
// are united with the lists so far, stripe of places after stripe, and at the end they
// become the graph. See the package comment.

// inParts is what the parts method holds.
type inParts struct {
	groups [2]parts.Group              // one being solved, one being read
	folded uint32                      // stages whose lists are in the fold
	units  []int                       // of every stage since
	spill  atomic.Pointer[parts.Spill] // rows side by side in scratch; nil between batches
}

// groupBytes is the memory of a group of leaves. Smaller groups share more of their
// rows with others, which are then read and written more often; larger ones only
// raise the least limit of memory.
var groupBytes int64 = 64 << 20 // a variable for tests

// partsSlack is how many candidates are kept beyond k where codes are not keys.
const partsSlack = 8

// partsK is the length of the lists of candidates in a group.
func (r *run) partsK(members int) int {
	k := min(r.opts.K, members-1)
	if r.codesOrder() {
		return k
	}
	return min(k+partsSlack, members-1)
}

// groupRowBytes is the memory of a row in a group, but for its residual: which rows make a
// group goes by it, and so does the graph.
func (r *run) groupRowBytes() int64 {
	row := int64(r.src.Dim() * r.src.Type().Size())
	lists := int64(8*(r.opts.K+partsSlack) + 8*r.opts.K)
	return row + r.codeBytes(1) - r.residualBytes(1) + lists + 4*(4+2*overlap)
}

// loadParts takes up a build: its lists stay on disk.
func (r *run) loadParts() (err error) { return r.loadFolded() }

// divideParts runs one division.
func (r *run) divideParts() error {
	if err := r.foldParts(); err != nil {
		return err
	}
	number := r.state.count(divisionStage) + 1
	leaves, err := r.assign(number)
	if err != nil {
		return err
	}
	defer leaves.Free()
	done, sum, err := r.committed(leaves.Groups())
	if err != nil {
		return err
	}
	p := r.begin(fmt.Sprintf("division %d", number), "groups", int64(leaves.Groups()))
	for _, batch := range leaves.Batches(int64(plan.Spilled * float64(r.n()*r.src.Dim()*r.src.Type().Size()))) {
		counts, err := r.doBatch(leaves, batch, done, p)
		if err != nil {
			return err
		}
		sum.add(counts)
	}
	st := stage{Kind: divisionStage, Number: number, Requested: sum.Requested, Evaluated: sum.Evaluated}
	if r.steer != nil {
		if st.Recall, st.Margin, err = r.steeredParts(); err != nil {
			return err
		}
	}
	r.state.Stages = append(r.state.Stages, st)
	err = r.save()
	p.End("division %d: each row in %d of %d leaves, %.0f pairs a row%s", number, leaves.Overlap, leaves.Leaders,
		float64(sum.Requested)/float64(r.n()), r.steerNote())
	return err
}

// assign divides all rows.
func (r *run) assign(number int) (*parts.Leaves, error) {
	rounding, err := r.rounding(r.rows)
	if err != nil {
		return nil, err
	}
	p := r.begin(fmt.Sprintf("leaders %d", number), "rows", int64(r.n()))
	defer p.End("")
	lap := r.state.overlapOf(&r.opts, number)
	return parts.Divide(r.ctx, parts.Division{
		Rows: r.rows, Space: r.space, Rounding: rounding, Seed: r.opts.Seed, Number: uint32(number),
		Overlap: lap, Leaders: parts.Leaders(r.n(), r.opts.K, lap), GroupBytes: groupBytes, RowBytes: r.groupRowBytes(),
		Threads: r.opts.Threads, Memory: &r.ledger, Progress: p.Add,
	})
}

// doBatch does the groups of a batch that are not done. One is read while the one
// before it is solved and the one before that is committed.
func (r *run) doBatch(leaves *parts.Leaves, batch parts.Batch, done []bool, p *phase) (sum unitCounts, err error) {
	if !slices.Contains(done[batch.From:batch.To], false) {
		p.Add(batch.To - batch.From)
		return sum, nil
	}
	scratch, err := r.draft.ScratchDir()
	if err != nil {
		return sum, err
	}
	spill, err := leaves.Spill(r.ctx, batch, scratch)
	if err != nil {
		return sum, err
	}
	defer spill.Close() // it has no name: what it held is gone with it
	r.spill.Store(spill)
	defer r.spill.Store(nil)
	r.meter.disk(r.onDisk())
	line := newPipeline(r, p)
	for g := batch.From; g < batch.To && err == nil; g++ {
		if done[g] {
			p.Add(1)
			continue
		}
		err = line.next(spill, g)
	}
	err = line.end(err)
	return line.sum, err
}

// solveGroup makes the lists of a group.
func (r *run) solveGroup(group *parts.Group) (blocks []store.Lists, note groupNote, err error) {
	if len(group.Places) < 2 {
		return nil, note, nil
	}
	g, found, err := r.inGroup(group)
	if err != nil {
		return nil, note, err
	}
	defer found.Free()
	if note.Requested, err = r.solveLeaves(group, g, found); err != nil {
		return nil, note, err
	}
	note.Evaluated = note.Requested
	lists, err := rank(r.ctx, g, found, func(int) {})
	if err != nil {
		return nil, note, err
	}
	blocks = r.stripesOf(group.Places, lists)
	note.Steered = steeredIn(group.Places, lists, r.steer)
	return blocks, note, nil
}

// inGroup is the points of a group alone, whose places are their numbers in it, and
// room for their candidates.
func (r *run) inGroup(group *parts.Group) (*points, *candidates.Lists, error) {
	n := len(group.Places)
	g := &points{space: r.space, threads: r.threads, k: min(r.k, n-1)}
	if err := g.over(group.Rows, n); err != nil {
		return nil, nil, err
	}
	rounding, err := r.rounding(nil)
	if err != nil {
		return nil, nil, err
	}
	if g.codes, err = codes.Of(g.rows, g.space, rounding, g.threads); err != nil {
		return nil, nil, err
	}
	g.order = r.numbers(n)
	found := candidates.New(n, r.partsK(n), r.threads)
	if r.codesOrder() {
		for i, place := range group.Places {
			found.Limit(uint32(i), r.bounds.distance(place))
		}
	}
	return g, found, nil
}

// solveLeaves compares all pairs of every leaf, and counts them.
func (r *run) solveLeaves(group *parts.Group, g *points, found *candidates.Lists) (int64, error) {
	var pairs atomic.Int64
	err := vectors.Ranges(r.opts.Threads, group.Leaves(), 1, func() func(from, to int) error {
		leaves := newTileLeaves(g.codes, found)
		return func(i, _ int) error {
			leaf := group.Leaf(i)
			leaves.solve(leaf)
			pairs.Add(int64(len(leaf)) * int64(len(leaf)-1) / 2)
			return r.ctx.Err()
		}
	})
	return pairs.Load(), err
}
