package parts

import (
	"math"
	"slices"

	"github.com/knng/knng/vectors/codes"
)

// nearby is, for each of some rows, which of the columns shown so far are nearest. It
// depends on which were shown, and not on their order. Goroutines may show columns to
// different rows at once.
type nearby struct {
	rows    *codes.Matrix
	count   int      // that are kept of each row
	entries []uint64 // count a row, nearest first: distance<<32 | column<<2 | 3
}

// none stands for a column that has not been found.
const none = math.MaxUint64

// column is which one an entry is.
func column(e uint64) uint32 { return uint32(e) >> 2 }

// numbers are 0 to n-1.
func numbers(n int) []uint32 {
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}

// reset forgets everything and takes other rows.
func (b *nearby) reset(rows *codes.Matrix, count int) {
	b.rows, b.count = rows, count
	b.entries = slices.Grow(b.entries[:0], rows.Len()*count+8)[:rows.Len()*count+8] // kernels look past the last
	for i := range b.entries {
		b.entries[i] = none
	}
}

// of is what is nearest to row i.
func (b *nearby) of(i uint32) []uint64 { return b.entries[int(i)*b.count : (int(i)+1)*b.count] }

// columnBlock is how many columns are compared with all rows before the next: their
// codes stay in a second-level cache.
const columnBlock = 2048

// compare shows columns of the tile's matrix, none of them for the second time, to rows.
func (b *nearby) compare(tile *codes.Tile, columns, rows []uint32) {
	if len(rows) == 0 {
		return
	}
	for block := range slices.Chunk(columns, columnBlock) {
		tile.Columns(block, nil)
		for band := range slices.Chunk(rows, codes.BandRows) {
			tile.RowsOf(b.rows, band, len(block))
			for r, i := range band {
				nearer(tile, r, b.of(i))
			}
		}
	}
}

// nearer takes note of the columns in the tile that are nearer to row r of the band.
func nearer(tile *codes.Tile, r int, best []uint64) {
	bound := uint32(best[len(best)-1] >> 32)
	if bound == math.MaxUint32 {
		bound = tile.Bound(r, len(best))
	}
	if distances, ids := tile.Within(r, bound); len(ids) > 0 {
		tile.Merge(best, distances, ids, math.MaxUint32)
	}
}
