package builder

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/parts"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/builder/union"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// The parts method: divisions into overlapping leaves on one level, all pairs in a
// leaf, and nothing in memory but a group of leaves (package parts). What a group
// finds is a unit of the stage, kept by the store; the union of all units is made
// at the end, stripe of places after stripe. See the package comment.

// groupBytes is the memory of a group of leaves. Smaller groups share more of their
// rows with others, which are then read and written more often; larger ones only
// raise the least limit of memory.
var groupBytes int64 = 64 << 20 // a variable for tests

// stripePlaces is how many places' lists a block of a group is cut at: some
// kilobytes a block where groups have a hundredth of all rows.
var stripePlaces = 1 << 14 // a variable for tests

// partsSlack is how many candidates are kept beyond k where codes are not keys.
const partsSlack = 8

func (r *run) stripes() int { return (r.n() + stripePlaces - 1) / stripePlaces }

// partsK is the length of the lists of candidates in a group.
func (r *run) partsK(members int) int {
	k := min(r.opts.K, members-1)
	if r.codesOrder() {
		return k
	}
	return min(k+partsSlack, members-1)
}

// codesOrder reports whether ordering by code distances is ordering by keys: they
// are equal, and float32 tells all of them apart.
func (r *run) codesOrder() bool {
	return r.bytesAreKeys() && r.src.Dim()*255*255 < 1<<24
}

// groupRowBytes is the memory of a row in a group.
func (r *run) groupRowBytes() int64 {
	row := int64(r.src.Dim() * r.src.Type().Size())
	lists := int64(8*(r.opts.K+partsSlack) + 8*r.opts.K)
	return row + r.codesBytes(1) + lists + 4*(4+2*overlap)
}

// loadParts takes up a build: its lists stay on disk.
func (r *run) loadParts() error {
	r.state.Steer = r.state.last().Steer
	return nil
}

// divideParts runs one division.
func (r *run) divideParts() error {
	number := r.state.count(divisionStage) + 1
	leaves, err := r.assign(number)
	if err != nil {
		return err
	}
	defer leaves.Free()
	if err := r.steerParts(leaves.Pairs()); err != nil {
		return err
	}
	done, sum, err := r.committed(leaves.Groups())
	if err != nil {
		return err
	}
	p := r.begin(fmt.Sprintf("division %d", number), "groups", int64(leaves.Groups()))
	for _, batch := range leaves.Batches(int64(r.n()) * int64(r.src.Dim()*r.src.Type().Size())) {
		counts, err := r.doBatch(leaves, batch, done, p)
		if err != nil {
			return err
		}
		sum.add(counts)
	}
	st := stage{Kind: divisionStage, Number: number, Requested: sum.Requested, Evaluated: sum.Evaluated}
	if len(r.steer) > 0 {
		st.Steer = r.state.Steer
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

// steerParts draws the rows that steer before the first division, whose pairs say how
// many they may be: a group notes their lists when it is committed.
func (r *run) steerParts(pairs int64) error {
	if len(r.state.Stages) > 0 {
		return nil
	}
	r.state.Steer, r.steer = 0, nil
	return r.growSteering(pairs)
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
		Overlap: lap, Leaders: parts.Leaders(r.n(), lap), GroupBytes: groupBytes, RowBytes: r.groupRowBytes(),
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
	line := newPipeline(r, p)
	for g := batch.From; g < batch.To && err == nil; g++ {
		if done[g] {
			p.Add(1)
			continue
		}
		err = line.next(spill, g)
	}
	err = line.end(err)
	if bytes, err := r.draft.DiskBytes(); err == nil {
		r.meter.disk(bytes + spill.Bytes() + r.ledger.PeakDisk())
	}
	return line.sum, err
}

// solveGroup makes the lists of a group.
func (r *run) solveGroup(group *parts.Group) (blocks []store.Lists, note groupNote, err error) {
	if len(group.Places) < 2 {
		return nil, note, nil
	}
	g, err := r.inGroup(group)
	if err != nil {
		return nil, note, err
	}
	defer g.found.Free()
	if note.Requested, err = g.solveLeaves(group); err != nil {
		return nil, note, err
	}
	note.Evaluated = note.Requested
	if err := g.rank(func(int) {}); err != nil {
		return nil, note, err
	}
	note.Steered = g.steeredIn(group.Places, r.steer)
	return g.stripesOf(group.Places, r.stripes()), note, nil
}

// inGroup is a run over the rows of a group alone, whose places are their numbers
// in it: as these ascend with the rows, ties fall alike.
func (r *run) inGroup(group *parts.Group) (*run, error) {
	n, dim, typ := len(group.Places), r.src.Dim(), r.src.Type()
	g := &run{ctx: r.ctx, opts: r.opts, src: r.src, space: r.space, k: min(r.k, n-1)}
	var err error
	if g.rows, err = vectors.RowsOf(group.Rows, n, dim, dim*typ.Size(), typ); err != nil {
		return nil, err
	}
	if g.norms, err = g.normsOf(g.rows); err != nil {
		return nil, err
	}
	rounding, err := r.rounding(nil)
	if err != nil {
		return nil, err
	}
	if g.codes, err = codes.Of(g.rows, g.space, rounding, g.opts.Threads); err != nil {
		return nil, err
	}
	g.order = r.numbers(n)
	g.found = candidates.New(n, r.partsK(n))
	return g, nil
}

// numbers is 0, 1, ... n-1.
func (r *run) numbers(n int) []uint32 {
	for len(r.ascending) < n {
		r.ascending = append(r.ascending, uint32(len(r.ascending)))
	}
	return r.ascending[:n]
}

// solveLeaves compares all pairs of every leaf, and counts them.
func (r *run) solveLeaves(group *parts.Group) (int64, error) {
	var pairs atomic.Int64
	err := vectors.Ranges(r.opts.Threads, group.Leaves(), 1, func() func(from, to int) error {
		solve := r.leafOfCodes()
		return func(i, _ int) error {
			leaf := group.Leaf(i)
			solve(leaf)
			pairs.Add(int64(len(leaf)) * int64(len(leaf)-1) / 2)
			return r.ctx.Err()
		}
	})
	return pairs.Load(), err
}

// stripesOf are the lists of a group by the stripes of their places.
func (r *run) stripesOf(places []uint32, stripes int) []store.Lists {
	blocks := make([]store.Lists, stripes)
	var ids []uint32
	for i, place := range places {
		near, keys := r.lists.List(uint32(i))
		ids = ids[:0]
		for _, id := range near {
			ids = append(ids, places[id])
		}
		b := &blocks[int(place)/stripePlaces]
		if len(b.Starts) == 0 {
			b.Reset()
		}
		b.Append(place, ids, keys)
	}
	return blocks
}

// stripe is the union of all units' lists of the places of a stripe.
type stripe struct {
	from  int // place
	lists *union.Lists
	batch store.Lists
}

// unite makes the lists of a stripe.
func (r *run) unite(number int, s *stripe) error {
	s.from = number * stripePlaces
	to := min(s.from+stripePlaces, r.n())
	if s.lists == nil {
		s.lists = union.New(stripePlaces, r.k, nil)
	}
	for p := range uint32(to - s.from) {
		s.lists.Set(p, nil, nil)
	}
	for stage := 1; stage <= len(r.units); stage++ {
		for unit := range uint32(r.units[stage-1]) {
			ok, err := r.draft.Block(uint32(stage), unit, uint32(number), &s.batch)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			if err := s.offer(r.n()); err != nil {
				return err
			}
		}
	}
	return nil
}

// offer offers a block, which may come from a damaged disk.
func (s *stripe) offer(n int) error {
	l := &s.batch
	for i, place := range l.Rows {
		if int(place) < s.from || int(place) >= min(s.from+stripePlaces, n) {
			return errPlace(place, n)
		}
		for j := l.Starts[i]; j < l.Starts[i+1]; j++ {
			if int(l.Neighbors[j]) >= n {
				return errPlace(l.Neighbors[j], n)
			}
			s.lists.Offer(place-uint32(s.from), l.Neighbors[j], l.Keys[j])
		}
	}
	return nil
}

// countUnits learns how many units the stages so far have, those of the stage in
// progress included.
func (r *run) countUnits() error {
	r.units = r.units[:0]
	for stage := uint32(1); stage <= r.stageNumber(); stage++ {
		units := 0
		err := r.draft.Units(stage, func(unit uint32, _ []byte) error {
			units = int(unit) + 1
			return nil
		})
		if err != nil {
			return err
		}
		r.units = append(r.units, units)
	}
	return nil
}

// groupNote is what a group is committed with.
type groupNote struct {
	unitCounts
	Steered []noted `json:"s,omitempty"`
}

// noted is the list that a group has for a row that steers.
type noted struct {
	Place     uint32    `json:"p"`
	Neighbors []uint32  `json:"n"` // places
	Keys      []float32 `json:"k"`
}

// steeredIn notes the lists of the rows that steer. The run is that of a group.
func (r *run) steeredIn(places []uint32, steer []*recall.Lists) (lists []noted) {
	for _, truth := range steer {
		for _, place := range truth.Places {
			i, here := slices.BinarySearch(places, place)
			if !here {
				continue
			}
			near, keys := r.lists.List(uint32(i))
			l := noted{Place: place, Keys: slices.Clone(keys)}
			for _, id := range near {
				l.Neighbors = append(l.Neighbors, places[id])
			}
			lists = append(lists, l)
		}
	}
	return lists
}

// steeredParts is the recall of the steering rows' lists so far, and its standard
// error.
func (r *run) steeredParts() (mean, standardError float64, err error) {
	number := map[uint32]uint32{}
	for _, truth := range r.steer {
		for _, place := range truth.Places {
			number[place] = uint32(len(number))
		}
	}
	lists := union.New(len(number), r.k, nil)
	defer lists.Free()
	for stage := uint32(1); stage <= r.stageNumber(); stage++ {
		err := r.draft.Units(stage, func(_ uint32, note []byte) error {
			var n groupNote
			if err := json.Unmarshal(note, &n); err != nil {
				return fmt.Errorf("%w: unit note: %w", store.ErrCorrupt, err)
			}
			for _, l := range n.Steered {
				i, known := number[l.Place]
				if !known || len(l.Keys) != len(l.Neighbors) {
					return fmt.Errorf("%w: unit note of place %d", store.ErrCorrupt, l.Place)
				}
				for j, id := range l.Neighbors {
					lists.Offer(i, id, l.Keys[j])
				}
			}
			return nil
		})
		if err != nil {
			return 0, 0, err
		}
	}
	var per []float64
	for _, truth := range r.steer {
		for i, place := range truth.Places {
			ids, keys := lists.List(number[place])
			per = append(per, truth.Recall(i, ids, keys))
		}
	}
	mean, standardError = meanOf(per)
	return mean, standardError, nil
}
