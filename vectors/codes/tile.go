package codes

import (
	"slices"

	"github.com/knng/knng/vectors/internal/simd"
)

// BandRows is how many rows a tile compares with its columns at a time.
const BandRows = 8

// Tile compares rows with a set of columns, BandRows of them at a time:
//
//	t.Columns(places, nil)
//	for band := range slices.Chunk(places, codes.BandRows) {
//		t.Band(band, len(places))
//		for r := range band {
//			distances, ids := t.Within(r, bound)
//		}
//	}
//
// It holds buffers that grow to the largest set of columns.
type Tile struct {
	m       *Matrix
	columns int
	panels  []byte
	norms   []uint32
	ids     []uint32
	packing [16]*byte

	band [BandRows]*byte
	adds [BandRows]uint32
	wide int     // columns compared in the band
	ld   int     // from one row of sums to the next
	sums []int32 // BandRows*ld
	d    []uint32
	near []uint32
	mins [32]uint32
}

// NewTile returns a tile over the rows of m.
func (m *Matrix) NewTile() *Tile { return &Tile{m: m} }

// Columns makes the rows at places the columns. ids name them in what Within
// returns; nil stands for the places themselves.
func (t *Tile) Columns(places, ids []uint32) {
	n := len(places)
	t.columns = n
	panels := (n + 15) / 16
	t.grow(panels)
	if ids == nil {
		ids = places
	}
	copy(t.ids, ids)
	size := simd.PanelBytes(t.m.groups)
	for p := range panels {
		for j := range 16 {
			at := min(16*p+j, n-1) // a short panel repeats its last row
			t.packing[j] = t.m.at(places[at])
			t.norms[16*p+j] = t.m.norms[places[at]]
		}
		t.m.kernel.Pack(&t.packing, t.m.groups, t.panels[p*size:(p+1)*size])
	}
}

func (t *Tile) grow(panels int) {
	if 16*panels <= t.ld {
		return
	}
	panels += panels / 2
	t.ld = 16 * panels
	t.panels = aligned(panels * simd.PanelBytes(t.m.groups))
	// The kernels read and write up to one vector beyond what counts.
	t.norms, t.ids = make([]uint32, t.ld), make([]uint32, t.ld)
	t.sums = make([]int32, BandRows*t.ld)
	t.d, t.near = make([]uint32, t.ld+16), make([]uint32, t.ld+16)
}

// Band compares at most BandRows rows with the first columns.
func (t *Tile) Band(rows []uint32, columns int) {
	t.wide = columns
	for r := range t.band {
		at := rows[min(r, len(rows)-1)]
		t.band[r], t.adds[r] = t.m.at(at), t.m.adds[at]
	}
	size := simd.PanelBytes(t.m.groups)
	t.m.kernel.Dots(&t.band, t.m.groups, t.panels[:(columns+15)/16*size], t.sums, t.ld)
}

// Within returns the columns whose distance to row r of the band is at most
// bound, in their order. The slices are valid until the next call.
func (t *Tile) Within(r int, bound uint32) (distances, ids []uint32) {
	n := t.m.kernel.Nearer(t.of(r), t.norms, t.adds[r], bound, t.ids, t.d, t.near)
	return t.d[:n], t.near[:n]
}

func (t *Tile) of(r int) []int32 { return t.sums[r*t.ld : r*t.ld+t.wide] }

// Bound returns a distance within which row r of the band has at least k
// columns, itself counted where it is one, or the largest number where it has
// fewer. For k up to 30 it is found without looking at each column by itself,
// and lets somewhat more than k pass.
func (t *Tile) Bound(r, k int) uint32 {
	if k > t.wide {
		return ^uint32(0)
	}
	if classes := min(t.wide, len(t.mins)); k < classes {
		t.m.kernel.Minima(t.of(r), t.norms, t.adds[r], &t.mins)
		slices.Sort(t.mins[:]) // empty classes come last
		return t.mins[k-1]
	}
	d, _ := t.Within(r, ^uint32(0))
	slices.Sort(d)
	return d[k-1]
}

// Nearest returns the id of the column nearest to row r of the band, the first
// of equally near ones.
func (t *Tile) Nearest(r int) uint32 {
	t.m.kernel.Minima(t.of(r), t.norms, t.adds[r], &t.mins)
	_, ids := t.Within(r, slices.Min(t.mins[:]))
	return ids[0]
}

// Merge puts candidates, none of them twice, into a list of entries
// distance<<32 | id<<1 | new, ascending; the largest number stands for no entry.
// Those that are not in it, other than self, enter as new; the list keeps its
// length. Eight entries past the list must be readable.
func (t *Tile) Merge(list []uint64, distances, ids []uint32, self uint32) {
	t.m.kernel.Merge(list, distances, ids, self)
}

// Prefetch asks for memory that will be read soon.
func (t *Tile) Prefetch(p []byte) { t.m.kernel.Prefetch(p) }
