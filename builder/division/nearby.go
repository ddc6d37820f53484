package division

import (
	"math"
	"slices"

	"github.com/knng/knng/vectors/codes"
)

// Rows are some rows of a matrix.
type Rows struct {
	Codes  *codes.Matrix
	Places []uint32
}

// All is all rows of a matrix.
func All(m *codes.Matrix) Rows { return Rows{m, numbers(m.Len())} }

// numbered are rows with a number each, by which they are told apart.
type numbered struct {
	Rows
	numbers []uint32
}

func (n numbered) part(from, to int) numbered {
	return numbered{Rows{n.Codes, n.Places[from:to]}, n.numbers[from:to]}
}

// count gives rows the numbers 0, 1, ...
func (r Rows) count() numbered { return numbered{r, numbers(len(r.Places))} }

// numbers are 0 to n-1.
func numbers(n int) []uint32 {
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}

// nearby keeps, for each of some rows, the nearest of the columns shown so far. The result does not depend
// on the order in which they were shown.
type nearby struct {
	rows    Rows
	count   int      // that are kept of each row
	entries []uint64 // count a row, nearest first: distance<<32 | number<<2 | 3
	band    [codes.BandRows]uint32
	bounds  [codes.BandRows]uint32
}

// none stands for a column that has not been found.
const none = math.MaxUint64

// number is which one an entry is.
func number(e uint64) uint32 { return uint32(e) >> 2 }

// reset forgets everything and takes other rows.
func (b *nearby) reset(rows Rows, count int) {
	b.rows, b.count = rows, count
	size := len(rows.Places) * count
	b.entries = slices.Grow(b.entries[:0], size+8)[:size+8] // kernels look past the last
	for i := range b.entries {
		b.entries[i] = none
	}
}

// of returns the nearest entries of row i.
func (b *nearby) of(i int) []uint64 { return b.entries[i*b.count : (i+1)*b.count] }

// found returns the nearest entries of all rows.
func (b *nearby) found() []uint64 { return b.entries[:len(b.rows.Places)*b.count] }

// columnBlock is how many columns are compared with all rows before the next: their
// codes stay in a second-level cache.
const columnBlock = 2048

// compare shows columns to some of the rows, which must not have seen them, through a tile of the columns'
// matrix. It returns how many pairs it compared.
func (b *nearby) compare(tile *codes.Tile, columns numbered, which []uint32) int64 {
	if len(which) == 0 {
		return 0
	}
	for from := 0; from < len(columns.Places); from += columnBlock {
		block := columns.part(from, min(from+columnBlock, len(columns.Places)))
		tile.Columns(block.Places, block.numbers)
		for some := range slices.Chunk(which, codes.BandRows) {
			for r, i := range some {
				b.band[r] = b.rows.Places[i]
			}
			tile.RowsOf(b.rows.Codes, b.band[:len(some)], len(block.Places))
			b.enter(tile, some)
		}
	}
	return int64(len(which)) * int64(len(columns.Places))
}

// enter keeps the columns in the tile that are nearer to rows of the band than those kept.
func (b *nearby) enter(tile *codes.Tile, band []uint32) {
	for r, i := range band {
		if b.bounds[r] = uint32(b.of(int(i))[b.count-1] >> 32); b.bounds[r] == math.MaxUint32 {
			b.bounds[r] = tile.Bound(r, b.count)
		}
	}
	tile.Select(b.bounds[:len(band)])
	for r, i := range band {
		if distances, ids := tile.Near(r); len(ids) > 0 {
			tile.Merge(b.of(int(i)), distances, ids, math.MaxUint32)
		}
	}
}
