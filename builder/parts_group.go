package builder

import (
	"context"
	"sync/atomic"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/parts"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/builder/union"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// groupSolver makes the lists of groups of leaves: of one machine, or of a task of many.
type groupSolver struct {
	*points.Points // of all rows, of which only the space, the threads and the length of lists count
	ctx            context.Context
	wanted         int  // neighbors asked for
	byKeys         bool // candidates are compared by keys
	rounding       codes.Rounding
	bounds         *points.Bounds
}

// candidateCount is the length of the lists of candidates in a group of so many rows.
func candidateCount(ps *points.Points, members, wanted int) int {
	k := min(wanted, members-1)
	if ps.CodesOrder() || ps.Keyed {
		return k
	}
	return min(k+partsSlack, members-1)
}

// groupRowBytes is the memory of a row in a group, but for its residual: which rows make a
// group goes by it, and so does the graph.
func groupRowBytes(ps *points.Points, wanted int) int64 {
	lists := int64(8*(wanted+partsSlack) + 8*wanted)
	return int64(ps.Space.RowBytes()) + ps.CodeBytes(1) - ps.ResidualBytes(1) + lists + 4*(4+2*job.Overlap)
}

// solve makes the lists of a group, by numbers in it, and has use take them. The note has
// those of rows that steer.
func (s *groupSolver) solve(group *parts.Group, steer *recall.Lists, use func(*union.Lists) error) (note groupNote, err error) {
	if len(group.Places) < 2 {
		return note, nil
	}
	g, found, err := s.inGroup(group)
	if err != nil {
		return note, err
	}
	defer found.Free()
	if note.Requested, err = s.solveLeaves(group, g, found); err != nil {
		return note, err
	}
	note.Evaluated = note.Requested
	lists, err := points.Rank(s.ctx, g, found, func(int) {})
	if err != nil {
		return note, err
	}
	note.Steered = steeredIn(group.Places, lists, steer)
	return note, use(lists)
}

// inGroup is the points of a group alone, whose places are their numbers in it, and
// room for their candidates.
func (s *groupSolver) inGroup(group *parts.Group) (g *points.Points, found *candidates.Lists, err error) {
	n := len(group.Places)
	g = &points.Points{Space: s.Space, Threads: s.Threads, K: min(s.K, n-1), Keyed: s.byKeys}
	if err := g.Over(group.Rows, n); err != nil {
		return nil, nil, err
	}
	if g.Codes, err = codes.Of(g.Rows, g.Space, s.rounding, g.Threads); err != nil {
		return nil, nil, err
	}
	g.Order = s.Numbers(n)
	found = candidates.New(n, candidateCount(g, n, s.wanted), s.Threads)
	if s.byKeys {
		for i, place := range group.Places {
			found.Limit(uint32(i), candidates.Ordered(s.bounds.Key(place)))
		}
	} else if s.CodesOrder() {
		for i, place := range group.Places {
			found.Limit(uint32(i), s.bounds.Distance(place))
		}
	}
	return g, found, nil
}

// solveLeaves compares all pairs of every leaf, and counts them.
func (s *groupSolver) solveLeaves(group *parts.Group, g *points.Points, found *candidates.Lists) (int64, error) {
	var pairs atomic.Int64
	err := vectors.Ranges(s.Threads, group.Leaves(), 1, func() func(from, to int) error {
		solve := leaves.Solver(g, found)
		return func(i, _ int) error {
			leaf := group.Leaf(i)
			if err := solve(leaf); err != nil {
				return err
			}
			pairs.Add(int64(len(leaf)) * int64(len(leaf)-1) / 2)
			return s.ctx.Err()
		}
	})
	return pairs.Load(), err
}

// blocks are the lists of a group by the ranges of their places, of which there are count
// of width places, without neighbors beyond the bounds.
func (s *groupSolver) blocks(places []uint32, lists *union.Lists, width, count int) []store.Lists {
	blocks := make([]store.Lists, count)
	var ids []uint32
	for i, place := range places {
		near, keys := lists.List(uint32(i))
		bound := s.bounds.Key(place)
		ids = ids[:0]
		for j, id := range near {
			if keys[j] > bound {
				break
			}
			ids = append(ids, places[id])
		}
		if len(ids) == 0 {
			continue
		}
		b := &blocks[int(place)/width]
		if len(b.Starts) == 0 {
			b.Reset()
		}
		b.Append(place, ids, keys[:len(ids)])
	}
	return blocks
}
