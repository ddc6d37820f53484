package solve

import (
	"context"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// A Solver makes the lists of groups of leaves, on one machine or in a distributed task.
type Solver struct {
	*points.Points // of all rows; only the space, the threads and the length of lists matter
	Ctx            context.Context
	Wanted         int  // neighbors per row
	ByKeys         bool // candidates are compared by keys
	Rounding       codes.Rounding
	Bounds         *points.Bounds
	Memory         *offheap.Ledger // of candidates
}

// GroupBytes is the memory of a group of leaves. Wrong if smaller: groups share more of their rows with
// others, which are then read and written more often. Wrong if larger: the least memory limit rises.
var GroupBytes int64 = 64 << 20 // a variable for tests

// BytesOfGroup returns the memory of a group of whole divisions with so many leaves of a row: twice
// GroupBytes from job.VastRows on, since these need a gigabyte anyway, and their thousands of groups would
// share most rows. It depends on the leaves, which drafts record: a draft of a version with other groups is
// refused by them.
func BytesOfGroup(leaves int) int64 {
	if leaves > 2*job.Overlap {
		return 2 * GroupBytes
	}
	return GroupBytes
}

// slack is the number of candidates kept beyond k if codes are not keys.
const slack = 8

// Candidates returns the length of the lists of candidates in a group of so many rows.
func Candidates(ps *points.Points, members, wanted int) int {
	k := min(wanted, members-1)
	if ps.CodesOrder() || ps.Keyed {
		return k
	}
	return min(k+slack, members-1)
}

// RowBytes returns the memory of a row in a group, without its residual, if divisions have so many leaves of
// a row. It decides which rows form a group, and so the graph.
func RowBytes(ps *points.Points, wanted, overlap int) int64 {
	lists := int64(8*(wanted+slack) + 8*wanted)
	return int64(ps.Space.RowBytes()) + ps.CodeBytes(1) - ps.ResidualBytes(1) + lists + int64(4*(4+2*overlap))
}

// Solved holds the lists of a group; the caller frees it.
type Solved struct {
	places []uint32
	lists  *knn.Lists // by numbers in places; nil if there are no pairs
	found  *candidates.Lists
	Note   Note
}

// Free frees the memory.
func (d *Solved) Free() {
	if d.found != nil {
		d.found.Free()
	}
}

// Solve makes the lists of a group. The note has the lists of the steering rows.
func (s *Solver) Solve(group *groups.Group, steer *recall.Lists) (d *Solved, err error) {
	d = &Solved{places: slices.Clone(group.Places)} // the group is reused
	if len(group.Places) < 2 {
		return d, nil
	}
	if err := s.solveInto(d, group); err != nil {
		d.Free()
		return nil, err
	}
	d.Note.Steered = steeredIn(d.places, d.lists, steer)
	return d, nil
}

func (s *Solver) solveInto(d *Solved, group *groups.Group) (err error) {
	g, err := s.inGroup(group)
	if err != nil {
		return err
	}
	if d.found, err = s.room(g, group.Places); err != nil {
		return err
	}
	if d.Note.Requested, err = s.solveLeaves(group, g, d.found); err != nil {
		return err
	}
	d.Note.Evaluated = d.Note.Requested
	d.lists, err = points.Rank(s.Ctx, g, d.found, func(int) {})
	return err
}

// inGroup returns the points of a group as points of their own, whose places are their numbers in it.
func (s *Solver) inGroup(group *groups.Group) (g *points.Points, err error) {
	n := len(group.Places)
	g = &points.Points{Space: s.Space, Threads: s.Threads, K: min(s.K, n-1), Keyed: s.ByKeys}
	if err := g.Over(group.Rows, n); err != nil {
		return nil, err
	}
	if g.Codes, err = codes.Of(g.Rows, g.Space, s.Rounding, g.Threads); err != nil {
		return nil, err
	}
	g.Order = s.Numbers(n)
	return g, nil
}

// room returns lists for the candidates of a group that are nearer than the bounds.
func (s *Solver) room(g *points.Points, places []uint32) (*candidates.Lists, error) {
	found, err := candidates.In(s.Memory, len(places), Candidates(g, len(places), s.Wanted), s.Threads)
	if err != nil {
		return nil, err
	}
	if s.ByKeys {
		for i, place := range places {
			found.Limit(uint32(i), candidates.Ordered(s.Bounds.Key(place)))
		}
	} else if s.CodesOrder() {
		for i, place := range places {
			found.Limit(uint32(i), s.Bounds.Distance(place))
		}
	}
	return found, nil
}

// solveLeaves compares all pairs of every leaf, and counts them.
func (s *Solver) solveLeaves(group *groups.Group, g *points.Points, found *candidates.Lists) (int64, error) {
	var pairs atomic.Int64
	err := vectors.Ranges(s.Threads, group.Leaves(), 1, func() func(from, to int) error {
		solve := leaves.Solver(g, found)
		return func(i, _ int) error {
			leaf := group.Leaf(i)
			if err := solve(leaf); err != nil {
				return err
			}
			pairs.Add(int64(len(leaf)) * int64(len(leaf)-1) / 2)
			return s.Ctx.Err()
		}
	})
	return pairs.Load(), err
}

// Blocks returns the lists of a group, by ranges of width places, without neighbors beyond the bounds. Each
// block reuses the memory of the previous one.
func (s *Solver) Blocks(d *Solved, width int) iter.Seq2[uint32, *store.Lists] {
	return func(yield func(uint32, *store.Lists) bool) {
		var block store.Lists
		bounds := s.Bounds.Gather(make([]float32, 0, len(d.places)), d.places)
		for from := 0; from < len(d.places) && d.lists != nil; {
			number := int(d.places[from]) / width
			block.Reset()
			for ; from < len(d.places) && int(d.places[from])/width == number; from++ {
				d.appendWithin(from, bounds[from], &block)
			}
			if len(block.Rows) > 0 && !yield(uint32(number), &block) {
				return
			}
		}
	}
}

// Tighten lowers the bounds of a group's rows to the last keys of their full lists; later groups keep no
// candidates beyond them. Nobody else may use the bounds meanwhile.
func (s *Solver) Tighten(d *Solved) {
	for i := 0; i < len(d.places) && d.lists != nil; i++ {
		if _, keys := d.lists.List(uint32(i)); len(keys) == s.K {
			s.Bounds.Lower(d.places[i], keys[s.K-1])
		}
	}
}

// Each calls fn with the lists of a group in the order of their places, without empty lists, and without
// neighbors beyond the bounds. The neighbors are places; they are valid during the call.
func (s *Solver) Each(d *Solved, fn func(place uint32, near []uint32, keys []float32) error) error {
	var ids []uint32
	bounds := s.Bounds.Gather(make([]float32, 0, len(d.places)), d.places)
	for i := 0; i < len(d.places) && d.lists != nil; i++ {
		near, keys := d.within(i, bounds[i])
		if len(near) == 0 {
			continue
		}
		ids = ids[:0]
		for _, id := range near {
			ids = append(ids, d.places[id])
		}
		if err := fn(d.places[i], ids, keys); err != nil {
			return err
		}
	}
	return nil
}

// within returns the list of one row, as far as it is within a bound.
func (d *Solved) within(i int, bound float32) (near []uint32, keys []float32) {
	near, keys = d.lists.List(uint32(i))
	n := len(keys)
	for n > 0 && keys[n-1] > bound {
		n--
	}
	return near[:n], keys[:n]
}

// appendWithin appends that list to a block.
func (d *Solved) appendWithin(i int, bound float32, block *store.Lists) {
	near, keys := d.within(i, bound)
	if len(near) == 0 {
		return
	}
	block.Append(d.places[i], nil, nil)
	for j, id := range near {
		block.Add(d.places[id], keys[j])
	}
}
