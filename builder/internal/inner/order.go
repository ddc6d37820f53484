package inner

import (
	"math"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/hashrand"
	"github.com/knng/knng/vectors/codes"
)

// Reach is the assumed distance from a cell's center to its point nearest to the row, as a share of the
// spread of the cell's directions. The promise of a cell is the inner product of the row's direction with
// that point, scaled to the length of the cell's longest row.
type Reach float64

// orders ranks the cells by their promise for rows; each goroutine has one.
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

// promises returns an entry for each cell for row r of the band. The least entry has the highest promise; its
// lower half is the number of the cell.
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

// ranked returns the cells of ranks from to to-1 for row r of the band, unordered.
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
