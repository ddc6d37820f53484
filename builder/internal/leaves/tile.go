package leaves

import (
	"math"
	"slices"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/vectors/codes"
)

// Tile solves leaves by their codes; each goroutine has one. Candidates wait before they are offered: an
// offer costs as much as some dozen pairs, and little more for many candidates than for one.
type Tile struct {
	codes   *codes.Matrix
	found   *candidates.Lists
	tile    *codes.Tile
	bounds  [codes.BandRows]uint32
	open    []uint32        // rows of the leaf whose lists have no bound
	limits  []uint32        // latest bounds of the leaf's rows, and room for kernels
	counts  []uint32        // of the waiting candidates of each of the leaf's rows
	waiting []codes.Waiting // of the leaf's rows
	columns codes.WaitingColumns
	parted  parted // the leaf, if only rows of different parts are compared
}

// NewTile returns a solver of leaves of rows with these codes into found.
func NewTile(m *codes.Matrix, found *candidates.Lists) *Tile {
	return &Tile{codes: m, found: found, tile: m.NewTile()}
}

// Solve compares all pairs of a leaf, each once for both of its rows. An empty list takes its first bound
// from the distances of its row to the whole leaf. If most lists are empty, or if rows repeat and nearly all
// pairs tie, every row is compared with all. First bounds from only 256 rows of a leaf gained nothing, as
// more pairs are within them.
func (w *Tile) Solve(leaf []uint32) {
	tied := w.look(leaf)
	if 3*(len(w.open)+tied) > len(leaf) {
		w.Compare(leaf, leaf)
		return
	}
	if len(w.open) > 0 {
		w.Compare(leaf, w.open)
		w.look(leaf)
	}
	w.once(leaf)
}

// look notes the bounds of the leaf's rows, and counts the lists that are full of rows equal to
// their own.
func (w *Tile) look(leaf []uint32) (tied int) {
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

// Compare compares rows with all of a leaf, only for these rows. It sorts the leaf, since the first places
// win a tie.
func (w *Tile) Compare(leaf, rows []uint32) {
	slices.Sort(leaf)
	for columns := range slices.Chunk(leaf, points.LeafColumns) {
		w.tile.Columns(columns, nil)
		for band := range slices.Chunk(rows, codes.BandRows) {
			w.found.Expect(w.tile, band)
			w.tile.Rows(band, len(columns))
			w.offerBand(band)
		}
	}
}

// offerBand offers its near rows to each row of a band.
func (w *Tile) offerBand(band []uint32) {
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
func (w *Tile) once(leaf []uint32) {
	w.makeWaiting(len(leaf))
	for at := 0; at < len(leaf); at += points.LeafColumns {
		columns := leaf[at:min(at+points.LeafColumns, len(leaf))]
		w.tile.Expect(columns)
		w.tile.Columns(columns, nil)
		w.wait(columns, at)
		for first := at; first < len(leaf); first += codes.BandRows {
			band := leaf[first:min(first+codes.BandRows, len(leaf))]
			wide := min(first+len(band)-at, len(columns))
			w.tile.Pairs(band, wide, w.limits[first:first+len(band)], w.limits[at:])
			for r := range band {
				w.note(leaf, first+r, at, r, min(first+r-at, wide))
			}
		}
	}
	w.offerWaiting(leaf)
}

// makeWaiting makes room for the waiting candidates of a leaf.
func (w *Tile) makeWaiting(rows int) {
	if len(w.waiting) < rows {
		w.waiting, w.counts = make([]codes.Waiting, rows), make([]uint32, rows)
	}
}

// wait makes the leaf's rows from at on the columns whose candidates wait.
func (w *Tile) wait(columns []uint32, at int) {
	w.columns = codes.WaitingColumns{IDs: columns, Limits: w.limits[at:], Counts: w.counts[at:], Waiting: w.waiting[at:]}
}

// offerWaiting offers all that waits to the rows of a leaf.
func (w *Tile) offerWaiting(leaf []uint32) {
	for i, place := range leaf {
		w.found.Next(w.tile, leaf, i)
		w.offer(i, place)
	}
}

// note takes row i of a leaf, row r of the band, and the first wide columns, which are the rows
// from at on, all before i. Each near pair waits in the list of both.
func (w *Tile) note(leaf []uint32, i, at, r, wide int) {
	near, distances := w.tile.Marked(r, wide)
	for {
		done, n := w.tile.Note(near, distances, &w.columns, &w.waiting[i], w.counts[i], w.limits[i], leaf[i])
		w.counts[i] = n
		if done == len(near) {
			return
		}
		near = near[done:]
		if n == codes.WaitingMost {
			w.offer(i, leaf[i])
		}
		if j := at + int(near[0]); w.counts[j] == codes.WaitingMost {
			w.offer(j, leaf[j])
		}
	}
}

// offer offers the waiting candidates to row i of a leaf, which is at place.
func (w *Tile) offer(i int, place uint32) {
	n := w.counts[i]
	if n == 0 {
		return
	}
	x := &w.waiting[i]
	w.found.Offer(w.tile, place, x.Distances[:n], x.IDs[:n])
	w.counts[i] = 0
	w.limits[i] = w.found.Bound(place)
}

// manyTies is the number of near rows, in lists, from which ties are looked for.
const manyTies = 4

// lessTies drops, in place, all but the first few of the candidates whose distance is the bound.
// They are in the order of places, which decides ties: no other can enter a list. Where a row
// repeats, nearly all of a leaf ties.
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
