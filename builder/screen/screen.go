// Package screen finds, among all pairs of two sets of rows, the pairs that may belong to
// lists. Exact lists, of all rows or of a sample, need exact keys for these pairs only.
// It compares in tiles: as bytes, if these are exact or their rounding error is bounded and
// small (package vectors/codes), else as float32 products (package vectors/products).
//
// Programs have no use for it. It is importable because searches of package recall take a screen;
// bench/judge uses them.
package screen

import (
	"math"
	"slices"

	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/products"
)

// BandRows is how many rows a screen compares with its columns at a time.
const BandRows = codes.BandRows

// A Screen compares rows with columns. It is one goroutine's tool. Places are rows
// of the matrix behind it.
type Screen interface {
	// Columns sets the columns: the rows at places. worst[j] is the key above which the list of column j
	// takes nothing; nil: columns have no lists. Later calls of Rows name places among rows only.
	Columns(places []uint32, worst []float32, rows []uint32)

	// Tighten lowers worst of column j.
	Tighten(j uint32, worst float32)

	// Rows compares at most BandRows rows with all columns.
	Rows(places []uint32)

	// Near returns, ascending, the numbers of the columns whose key with row r of the band may be at most
	// worst, or at most the column's own worst. It may return too many columns, never too few. keys are
	// their keys, or nil if the screen does not know them. The slices are valid until the next call.
	Near(r int, worst float32) (columns []uint32, keys []float32)
}

// A Primer is a screen that finds first neighbors for empty lists.
type Primer interface {
	// Prime returns the numbers of some columns near row r of the band: more than a list has, if there are
	// so many. The slice is valid until the next call.
	Prime(r int) []uint32
}

// Codes screens by codes, which are exact.
func Codes(m *codes.Matrix) Screen { return &byCodes{tile: m.NewTile()} }

type byCodes struct {
	tile    *codes.Tile
	numbers []uint32 // 0, 1, ...
	bounds  []uint32
	keys    []float32
	wide    int
}

func (s *byCodes) Columns(places []uint32, worst []float32, _ []uint32) {
	s.wide = len(places)
	for len(s.numbers) < len(places)+16 { // the tile's kernels read whole vectors
		s.numbers = append(s.numbers, uint32(len(s.numbers)))
	}
	s.bounds = append(s.bounds[:0], make([]uint32, len(places)+16)...)
	for j, w := range worst {
		s.bounds[j] = codes.Reach(w)
	}
	s.tile.Columns(places, s.numbers[:len(places)])
}

func (s *byCodes) Tighten(j uint32, worst float32) { s.bounds[j] = codes.Reach(worst) }

func (s *byCodes) Rows(places []uint32) { s.tile.Rows(places, s.wide) }

func (s *byCodes) Near(r int, worst float32) ([]uint32, []float32) {
	distances, near := s.tile.Either(r, codes.Reach(worst), s.bounds)
	s.keys = slices.Grow(s.keys[:0], len(distances))[:len(distances)]
	for i, d := range distances {
		s.keys[i] = float32(d)
	}
	return near, s.keys
}

// Products screens by float32 products.
func Products(m *products.Matrix) Screen { return &byProducts{m: m, tile: m.NewTile()} }

type byProducts struct {
	m    *products.Matrix
	tile *products.Tile
}

func (s *byProducts) Columns(places []uint32, worst []float32, rows []uint32) {
	longest := math.Inf(1)
	if worst != nil {
		longest = s.m.Longest(rows)
	}
	s.tile.Columns(places, worst, longest)
}

func (s *byProducts) Tighten(j uint32, worst float32) { s.tile.Tighten(j, worst) }

func (s *byProducts) Rows(places []uint32) { s.tile.Rows(places) }

func (s *byProducts) Near(r int, worst float32) ([]uint32, []float32) {
	return s.tile.Near(r, worst), nil
}
