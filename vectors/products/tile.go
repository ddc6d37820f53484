package products

import (
	"math"
	"unsafe"

	"github.com/knng/knng/vectors/internal/simd"
)

// BandRows is how many rows a tile compares with its columns at a time.
const BandRows = 16

// Tile compares rows with a set of columns, at most BandRows of them at a time:
//
//	t.Columns(places, worst)
//	t.Rows(band)
//	near := t.Near(0, w) // of band[0]: numbers of columns
//
// It holds buffers that grow to the largest set of columns.
type Tile struct {
	m      *Matrix
	panels []byte
	halves []float32
	leasts []float32
	places []uint32 // of the columns
	long   float64  // the longest column
	most   float64  // the longest row that a column's bound was made for

	rows  []uint32
	band  [BandRows]*byte
	words []float32 // of the band, then of a panel
	ld    int
	sums  []float32
	near  []uint32
}

// NewTile returns a tile over the rows of m.
func (m *Matrix) NewTile() *Tile {
	return &Tile{m: m, words: make([]float32, (BandRows+16)*m.rows.Dim())}
}

// Longest is at least the norm of each of some rows.
func (m *Matrix) Longest(places []uint32) (most float64) {
	for _, p := range places {
		most = max(most, m.sideOf(p).length)
	}
	return most
}

// Columns makes the rows at places the columns. Near then also returns a column
// whose key with the row may be at most worst of that column; without worst no
// column asks for anything. The rows that will be compared are no longer than
// longest.
func (t *Tile) Columns(places []uint32, worst []float32, longest float64) {
	panels := (len(places) + 15) / 16
	t.grow(panels)
	t.places, t.long, t.most = append(t.places[:0], places...), t.m.Longest(places), longest
	inf := float32(math.Inf(1))
	for j := range 16 * panels {
		t.halves[j], t.leasts[j] = 0, inf
	}
	for j, p := range places {
		t.halves[j] = t.m.sideOf(p).half
		if worst != nil {
			t.leasts[j] = t.m.least(p, worst[j], longest)
		}
	}
	t.pack(panels)
}

// Tighten gives column j a new bound.
func (t *Tile) Tighten(j uint32, worst float32) {
	t.leasts[j] = t.m.least(t.places[j], worst, t.most)
}

func (t *Tile) grow(panels int) {
	if 16*panels <= t.ld {
		return
	}
	t.ld = 16 * panels
	t.panels = make([]byte, panels*simd.PanelBytes(t.m.rows.Dim()))
	t.halves, t.leasts = make([]float32, t.ld), make([]float32, t.ld)
	t.sums, t.near = make([]float32, BandRows*t.ld), make([]uint32, t.ld+16)
}

// pack decodes 16 columns at a time and packs them. The filling of the last panel
// does not matter.
func (t *Tile) pack(panels int) {
	dim := t.m.rows.Dim()
	size := simd.PanelBytes(dim)
	words := t.words[BandRows*dim:]
	var rows [16]*byte
	for p := range panels {
		for j := range rows {
			row := words[j*dim : (j+1)*dim]
			t.m.read(t.places[min(16*p+j, len(t.places)-1)], row)
			rows[j] = (*byte)(unsafe.Pointer(unsafe.SliceData(row)))
		}
		t.m.kernel.Pack(&rows, dim, t.panels[p*size:(p+1)*size])
	}
}

// Rows compares at most BandRows rows with all columns.
func (t *Tile) Rows(places []uint32) {
	dim := t.m.rows.Dim()
	t.rows = append(t.rows[:0], places...)
	for r := range t.band {
		row := t.words[r*dim : (r+1)*dim]
		if r < len(places) {
			t.m.read(places[r], row)
		}
		t.band[r] = (*byte)(unsafe.Pointer(unsafe.SliceData(row)))
	}
	size := (len(t.places) + 15) / 16 * simd.PanelBytes(dim)
	for at := 0; at < len(places); at += 8 {
		t.m.kernel.Products((*[8]*byte)(t.band[at:]), dim, t.panels[:size], t.sums[at*t.ld:], t.ld)
	}
}

// Near returns the numbers of the columns whose key with row r of the band may be
// at most worst, or at most the column's own bound, ascending. The slice is valid
// until the next call.
func (t *Tile) Near(r int, worst float32) []uint32 {
	p := t.rows[r]
	c := t.sums[r*t.ld : r*t.ld+len(t.places)]
	n := t.m.kernel.Reaching(c, t.halves, t.leasts, t.m.sideOf(p).half, t.m.least(p, worst, t.long), t.near)
	return t.near[:n]
}
