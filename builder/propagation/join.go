package propagation

import (
	"math"
	"sync/atomic"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/vectors/codes"
)

// A Round propagates by joins: the neighbors of a row, and the rows that have it
// as a neighbor, are compared with each other, because neighbors of one row are
// likely neighbors. Only pairs are compared of which one entered a list since
// the round before (Dong, Moses, Li 2011, "Efficient k-nearest neighbor graph
// construction for generic similarity measures", section 2).
//
// Where best-first propagation compares one row with others one after the
// other, a join is a small matrix product. Every pair is offered to both ends.
// The round reads the lists as they were when it began, and writes the next
// generation, so the order of joins does not matter.
type Round struct {
	lists  *candidates.Lists
	before []uint32 // N*K: place<<1 | new
	starts []uint64 // of the rows that have a place in their lists: N+1
	back   []uint32 // those rows<<1 | new
	most   int      // rows in back that a join takes
	seed   uint64
}

const none = math.MaxUint32

// Parallel calls fn for ranges that cover [0, n).
type Parallel func(n int, fn func(from, to int))

// StartRound freezes lists, marks all their entries old, and gathers for every place
// the rows that list it. A join takes at most most of these.
func StartRound(lists *candidates.Lists, most int, seed uint64, parallel Parallel) *Round {
	r := &Round{lists: lists, most: most, seed: seed}
	r.before = make([]uint32, lists.N*lists.K)
	counts := make([]atomic.Uint32, lists.N)
	parallel(lists.N, func(from, to int) {
		for at := from * lists.K; at < to*lists.K; at++ {
			r.before[at] = none
		}
		lists.MarkOld(from, to, func(at int, e candidates.Entry) {
			r.before[at] = uint32(e)
			counts[e.Place()].Add(1)
		})
	})
	r.starts = make([]uint64, lists.N+1)
	for i := range counts {
		r.starts[i+1] = r.starts[i] + uint64(counts[i].Load())
		counts[i].Store(0)
	}
	r.back = make([]uint32, r.starts[lists.N])
	parallel(lists.N, func(from, to int) {
		for at := from * lists.K; at < to*lists.K; at++ {
			if e := r.before[at]; e != none {
				q := e >> 1
				slot := r.starts[q] + uint64(counts[q].Add(1)) - 1
				r.back[slot] = uint32(at/lists.K)<<1 | e&1
			}
		}
	})
	return r
}

// Join joins around one place at a time: one per goroutine.
type Join struct {
	*Round
	tile  *codes.Tile
	seen  visited
	fresh []uint32 // places that are new around the one at hand
	old   []uint32
	picks []pick
}

// Join returns a joiner over the codes of the lists' places.
func (r *Round) Join(m *codes.Matrix) *Join {
	return &Join{Round: r, tile: m.NewTile(), seen: newVisited(r.lists.K + r.most)}
}

// Around joins around p and returns how many pairs it compared.
func (j *Join) Around(p uint32) (pairs int) {
	j.gather(p)
	if len(j.fresh) == 0 {
		return 0
	}
	fresh, all := len(j.fresh), append(j.fresh, j.old...)
	if len(all) < 2 {
		return 0
	}
	j.fresh = all[:fresh]
	j.tile.Columns(all, nil)
	j.offer(all[:fresh], len(all))
	j.offer(all[fresh:], fresh)
	return fresh*(fresh-1)/2 + fresh*len(j.old)
}

// offer compares rows with the first columns and offers what is near.
func (j *Join) offer(rows []uint32, columns int) {
	for len(rows) > 0 {
		band := rows[:min(len(rows), codes.BandRows)]
		j.lists.Expect(j.tile, band)
		j.tile.Band(band, columns)
		for r, x := range band {
			distances, ids := j.tile.Within(r, j.lists.Bound(x))
			if len(ids) == 0 || len(ids) == 1 && ids[0] == x {
				continue
			}
			j.lists.Offer(j.tile, x, distances, ids)
		}
		rows = rows[len(band):]
	}
}

// gather collects the neighbors of p and the rows that list it.
func (j *Join) gather(p uint32) {
	j.fresh, j.old = j.fresh[:0], j.old[:0]
	j.seen.reset()
	at := int(p) * j.lists.K
	for _, e := range j.before[at : at+j.lists.K] {
		if e == none {
			break
		}
		j.add(e)
	}
	back := j.back[j.starts[p]:j.starts[p+1]]
	if len(back) > j.most {
		back = j.choose(p, back)
	}
	for _, e := range back {
		j.add(e)
	}
}

func (j *Join) add(e uint32) {
	if !j.seen.add(e >> 1) {
		return
	}
	if e&1 != 0 {
		j.fresh = append(j.fresh, e>>1)
	} else {
		j.old = append(j.old, e>>1)
	}
}
