package propagation

import (
	"github.com/knng/knng/vectors/codes"
)

// Join joins around places; each goroutine has one. Its memory accesses are scattered, so it prefetches those
// of the next place before it compares the neighbors of the current one: about 300 cache lines. Lists are
// prefetched again, some at a time, right before offers.
type Join struct {
	*Round
	tile  *codes.Tile
	seen  visited
	here  around // the current place
	ahead around // the next place
	old   []uint32
	lots  []uint64

	near   near                                // of few new places
	bounds []uint32                            // bounds of the places around the current one, and padding that kernels may read
	part   []uint16                            // of every place: only places of different parts are compared; nil: all
	others []uint32                            // of other parts than some places around the current one
	pairs  func(all []uint32, fresh int) error // nil: by codes
	failed error
}

// around is the places around one place: the new ones, then the others; or, if parts are separated, such a
// sequence for each part.
type around struct {
	all    []uint32
	fresh  int
	blocks []block  // of the parts
	left   []uint32 // places that are in no block yet
}

// ready reports whether there is anything to compare.
func (j *Join) ready(a *around) bool {
	return a.fresh > 0 && len(a.all) > 1 && (j.part == nil || len(a.blocks) > 1)
}

// Join returns a joiner over the codes of the lists' places.
func (r *Round) Join(m *codes.Matrix) *Join {
	return &Join{Round: r, tile: m.NewTile(), seen: newVisited(r.lists.K + r.most), part: r.part}
}

// JoinBy returns a joiner that calls pairs to compare: pairs compares each of the first fresh places of all
// with all that come after it, for both.
func (r *Round) JoinBy(pairs func(all []uint32, fresh int) error) *Join {
	return &Join{Round: r, seen: newVisited(r.lists.K + r.most), pairs: pairs}
}

// Err returns the first error of pairs in a joiner made by [Round.JoinBy].
func (j *Join) Err() error { return j.failed }

// Around joins around each of places, which are of the entered parts, and returns the number of pairs
// compared.
func (j *Join) Around(places ...uint32) (pairs int) {
	for i, p := range places {
		if i == 0 {
			j.look(p)
		}
		j.here, j.ahead = j.ahead, j.here
		if i+1 < len(places) {
			j.look(places[i+1])
		}
		pairs += j.join()
	}
	return pairs
}

// look gathers the neighbors of p, unless none is new, and prefetches their memory.
func (j *Join) look(p uint32) {
	j.ahead.all, j.ahead.fresh = j.ahead.all[:0], 0
	if !j.anyNew(p) {
		return
	}
	j.gather(p)
	if j.pairs != nil {
		return
	}
	if j.part != nil {
		j.ahead.sortByPart(j.part)
	}
	if j.ready(&j.ahead) {
		j.tile.Expect(j.ahead.all)
		j.lists.Expect(j.tile, j.ahead.all)
		j.lists.ExpectBounds(j.tile, j.ahead.all)
	}
}

// behind is the padding after the bounds of columns that kernels may read.
var behind [16]uint32

// join compares the new places around the current one with all of them.
func (j *Join) join() (pairs int) {
	all, fresh := j.here.all, j.here.fresh
	if !j.ready(&j.here) {
		return 0
	}
	if j.part != nil {
		return j.joinAcross()
	}
	if j.pairs != nil {
		if err := j.pairs(all, fresh); err != nil && j.failed == nil {
			j.failed = err
		}
		return fresh*(fresh-1)/2 + fresh*(len(all)-fresh)
	}
	j.bounds = j.bounds[:0]
	for _, x := range all {
		j.bounds = append(j.bounds, j.lists.Bound(x))
	}
	j.bounds = append(j.bounds, behind[:]...)
	if fresh <= fewFresh {
		j.compareFew()
	} else {
		j.tile.Columns(all, nil)
		j.compare(0, fresh, len(all))
		j.compare(fresh, len(all), fresh)
	}
	return fresh*(fresh-1)/2 + fresh*(len(all)-fresh)
}

// compare compares a range of the columns with the first of them, and offers the near pairs, nearly all of
// which are already listed. A set of the listed places of all lists, readable without a lock and half the
// size of the lists, saved SIFT 5 to 14 % of the joins.
func (j *Join) compare(from, to, wide int) {
	for ; from < to; from += codes.BandRows {
		rows := j.tile.Band(from, to, wide)
		j.tile.Select(j.bounds[from : from+rows])
		j.offerNear(j.here.all[from : from+rows])
	}
}

// offerNear offers each row of the band, which is at some place, its near places.
func (j *Join) offerNear(places []uint32) {
	for r, x := range places {
		j.lists.Next(j.tile, places, r)
		distances, ids := j.tile.Near(r)
		if len(ids) > 1 || len(ids) == 1 && ids[0] != x {
			j.lists.Offer(j.tile, x, distances, ids)
		}
	}
}

// anyNew reports whether anything around p has not been joined there.
func (j *Join) anyNew(p uint32) bool {
	var marks uint32
	for _, e := range j.frozen(p) {
		marks |= e
	}
	for _, e := range j.listing(p) {
		marks |= e
	}
	return marks&1 != 0
}

// gather collects the neighbors of p and the rows that list it.
func (j *Join) gather(p uint32) {
	j.old = j.old[:0]
	j.seen.reset()
	for _, e := range j.frozen(p) {
		j.add(e)
	}
	back := j.listing(p)
	if len(back) > j.most {
		back = j.choose(p, back)
	}
	for _, e := range back {
		j.add(e)
	}
	j.ahead.fresh = len(j.ahead.all)
	j.ahead.all = append(j.ahead.all, j.old...)
}

func (j *Join) add(e uint32) {
	if !j.seen.add(e >> 1) {
		return
	}
	if e&1 != 0 {
		j.ahead.all = append(j.ahead.all, e>>1)
	} else {
		j.old = append(j.old, e>>1)
	}
}
