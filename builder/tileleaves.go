package builder

import (
	"math"
	"math/bits"
	"slices"

	"github.com/knng/knng/vectors/codes"
)

// leafColumns is how many rows of a leaf the others are compared with at a time: a
// quarter of a megabyte at usual dimensions, which stays in a second-level cache.
const leafColumns = 2048

// tileLeaves solves leaves by their codes: one per goroutine.
type tileLeaves struct {
	*run
	tile    *codes.Tile
	bounds  [codes.BandRows]uint32
	open    []uint32  // rows of the leaf whose lists have no bound
	limits  []uint32  // bounds of the leaf's rows when last looked at, and room for kernels
	waiting []waiting // of the leaf's rows, and one more, which kernels may read
}

// waiting are candidates of a row that have not been offered: an offer costs as much as
// some dozen pairs, and little more for many candidates than for one.
type waiting struct {
	n         int
	distances [waitingMost]uint32
	places    [waitingMost]uint32
}

// waitingMost is how many candidates of a row wait: more than most rows find in a leaf.
// Twice as many would take the room of a leaf's columns in a second-level cache.
const waitingMost = 32

// leafOfCodes returns one worker's way to solve leaves.
func (r *run) leafOfCodes() func(leaf []uint32) { return newTileLeaves(r).solve }

func newTileLeaves(r *run) *tileLeaves {
	return &tileLeaves{run: r, tile: r.codes.NewTile()}
}

// solve compares all pairs of a leaf, each once for both of its rows. An empty list
// takes a first bound from its row of distances to the whole leaf; where that is most
// of them, or where rows repeat and nearly all pairs tie, every row is compared with all.
// First bounds from 256 rows of a leaf alone were tried: no gain, as more lies within.
func (w *tileLeaves) solve(leaf []uint32) {
	tied := w.look(leaf)
	if 3*(len(w.open)+tied) > len(leaf) {
		w.compare(leaf, leaf)
		return
	}
	if len(w.open) > 0 {
		w.compare(leaf, w.open)
		w.look(leaf)
	}
	w.once(leaf)
}

// look notes the bounds of the leaf's rows, and counts those whose lists are full of
// rows equal to them.
func (w *tileLeaves) look(leaf []uint32) (tied int) {
	w.open = w.open[:0]
	w.limits = slices.Grow(w.limits[:0], len(leaf)+16)[:len(leaf)+16]
	for i, place := range leaf {
		w.limits[i] = w.found.Bound(place)
		switch {
		case w.limits[i] == math.MaxUint32:
			w.open = append(w.open, place)
		case w.limits[i] <= w.codes.Same(place):
			tied++
		}
	}
	return tied
}

// compare compares rows with all of a leaf, for the rows alone. It sorts the leaf: of
// those that tie the first places count.
func (w *tileLeaves) compare(leaf, rows []uint32) {
	slices.Sort(leaf)
	for columns := range slices.Chunk(leaf, leafColumns) {
		w.tile.Expect(columns)
		w.tile.Columns(columns, nil)
		for band := range slices.Chunk(rows, codes.BandRows) {
			w.found.Expect(w.tile, band)
			w.tile.Rows(band, len(columns))
			w.offerBand(band)
		}
	}
}

// offerBand offers to each row of a band what is near to it.
func (w *tileLeaves) offerBand(band []uint32) {
	for i, place := range band {
		if w.bounds[i] = w.found.Bound(place); w.bounds[i] == math.MaxUint32 {
			w.bounds[i] = w.tile.Bound(i, w.found.K+1)
		}
	}
	w.tile.Select(w.bounds[:len(band)])
	for i, place := range band {
		distances, ids := w.tile.Near(i)
		if len(ids) > manyTies*w.found.K {
			distances, ids = lessTies(distances, ids, w.bounds[i], w.found.K+1)
		}
		w.found.Offer(w.tile, place, distances, ids)
	}
}

// once compares every row with those before it, for both.
func (w *tileLeaves) once(leaf []uint32) {
	if len(w.waiting) <= len(leaf) {
		w.waiting = make([]waiting, len(leaf)+1)
	}
	for at := 0; at < len(leaf); at += leafColumns {
		columns := leaf[at:min(at+leafColumns, len(leaf))]
		w.tile.Expect(columns)
		w.tile.Columns(columns, nil)
		for first := at; first < len(leaf); first += codes.BandRows {
			band := leaf[first:min(first+codes.BandRows, len(leaf))]
			wide := min(first+len(band)-at, len(columns))
			w.tile.Pairs(band, wide, w.limits[first:first+len(band)], w.limits[at:])
			for r := range band {
				w.note(leaf, first+r, at, r, min(first+r-at, wide))
			}
		}
	}
	const ahead = codes.BandRows // a list takes longer to come than an offer
	w.found.Expect(w.tile, leaf[:min(ahead, len(leaf))])
	for i, place := range leaf {
		if i%ahead == 0 {
			w.found.Expect(w.tile, leaf[min(i+ahead, len(leaf)):min(i+2*ahead, len(leaf))])
		}
		w.offer(i, place)
	}
}

// note has row i of a leaf, row r of the band, and those of the first wide columns that are
// near it, which are the rows from at on and come before i, wait for each other.
func (w *tileLeaves) note(leaf []uint32, i, at, r, wide int) {
	marks, distances := w.tile.Marked(r, wide)
	others, theirs, limits := leaf[at:][:wide], w.waiting[at:][:wide], w.limits[at:][:wide]
	mine, place := &w.waiting[i], leaf[i]
	for from, word := range marks {
		for ; word != 0; word &= word - 1 {
			j := 64*from + bits.TrailingZeros64(word)
			if mine.n == waitingMost {
				w.offer(i, place)
			}
			if theirs[j].n == waitingMost {
				w.offer(at+j, others[j])
			}
			mine.add(distances[j], others[j], w.limits[i])
			theirs[j].add(distances[j], place, limits[j])
		}
	}
}

// add has a candidate wait if it is within a limit, which it may be or not: the
// processor should not guess.
func (x *waiting) add(distance, place, limit uint32) {
	n := x.n
	x.distances[n], x.places[n] = distance, place
	after := n
	if distance <= limit {
		after = n + 1
	}
	x.n = after
}

// offer offers to row i of a leaf, which is at place, what waits for it.
func (w *tileLeaves) offer(i int, place uint32) {
	x := &w.waiting[i]
	if x.n == 0 {
		return
	}
	w.found.Offer(w.tile, place, x.distances[:x.n], x.places[:x.n])
	x.n = 0
	w.limits[i] = w.found.Bound(place)
}

// manyTies is from how many times the length of a list on it pays to look for ties.
const manyTies = 4

// lessTies drops, in place, all but the first few of the candidates whose distance is
// the bound. They stand in the order of places, which decides ties: no other can enter
// a list. Where a row repeats, nearly all of a leaf ties.
func lessTies(distances, ids []uint32, bound uint32, few int) (d, i []uint32) {
	n, ties := 0, 0
	for at, x := range distances {
		if x == bound {
			if ties++; ties > few {
				continue
			}
		}
		distances[n], ids[n] = x, ids[at]
		n++
	}
	return distances[:n], ids[:n]
}
