package inner

import (
	"math"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/hashrand"
	"github.com/knng/knng/vectors/codes"
)

// Reach is how far beyond its center a cell is taken to reach towards a row, as a share of
// the spread of its directions: a cell promises a row the inner product of the row's
// direction with one so far from the center, as long as the longest of the cell.
type Reach float64

// orders tells which cells promise rows most: one per goroutine.
type orders struct {
	*Cells
	reach   Reach
	tile    *codes.Tile
	entries []uint64
}

func (c *Cells) orders(reach Reach) *orders {
	o := &orders{Cells: c, reach: reach, tile: c.centers.NewTile(), entries: make([]uint64, c.Len())}
	all := make([]uint32, c.Len())
	for i := range all {
		all[i] = uint32(i)
	}
	o.tile.Columns(all, nil)
	return o
}

// band compares at most codes.BandRows rows with all centers.
func (o *orders) band(places []uint32) { o.tile.RowsOf(o.directions, places, o.Len()) }

// promises are entries of the cells for row r of the band, by their promise: the least
// entry promises most. The number of the cell is the lower half.
func (o *orders) promises(r int) []uint64 {
	distances, cells := o.tile.Within(r, math.MaxUint32)
	squaredUnit := float64(o.perUnit * o.perUnit)
	for i, cell := range cells {
		e := &o.ends[cell]
		along := (1 + o.centers.Squares[cell] - float64(distances[i])/squaredUnit) / 2
		promise := float64(e.longest * (along + float64(float64(o.reach)*e.spread)))
		o.entries[cell] = uint64(candidates.Ordered(float32(-promise)))<<32 | uint64(cell)
	}
	return o.entries
}

// ranked are the cells of ranks from to to-1 among those of row r of the band, in no order.
func (o *orders) ranked(r, from, to int) []uint64 {
	entries := o.promises(r)
	if to < len(entries) {
		hashrand.Least(entries, to)
	}
	if from > 0 {
		hashrand.Least(entries[:to], from)
	}
	return entries[from:to]
}
