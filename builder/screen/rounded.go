package screen

import (
	"math"
	"slices"

	"github.com/knng/knng/vectors/codes"
)

// Rounded screens rows whose codes are not exact, or are for inner products. The error of a distance of
// codes is bounded (codes.Matrix.Residual). Codes are compared at the speed of bytes; keys decide the pairs
// that the bounds leave open. It is immutable.
type Rounded struct {
	codes *codes.Matrix
	usual end // of both, exceeded by few rows
	k     int // neighbors of a list
}

// end is the part of one row in the bounds of its pairs.
type end struct{ residual, length float64 }

// play returns the largest error of the distance of two codes.
func play(x, y end) float64 {
	return x.residual*y.length + y.residual*x.length
}

// NewRounded keeps m.
func NewRounded(m *codes.Matrix, k int) *Rounded {
	r := &Rounded{codes: m, k: k}
	some := spread(m.Len(), tellColumns)
	most := func(of func(uint32) float32) float64 {
		sorted := make([]float32, len(some))
		for i, p := range some {
			sorted[i] = of(p)
		}
		slices.Sort(sorted)
		return float64(sorted[len(sorted)*31/32])
	}
	r.usual = end{most(m.Residual), most(m.Length)}
	return r
}

func (r *Rounded) end(place uint32) end {
	return end{float64(r.codes.Residual(place)), float64(r.codes.Length(place))}
}

// isUsual reports whether the bounds for the usual row hold for e. If rows have no residual, their lengths
// do not matter.
func (r *Rounded) isUsual(e end) bool {
	return e.residual <= r.usual.residual && (e.length <= r.usual.length || r.usual.residual == 0)
}

// Screen returns a screen, which is a [Primer] as well.
func (r *Rounded) Screen() Screen {
	return &byRounded{Rounded: r, byCodes: byCodes{tile: r.codes.NewTile()}}
}

// byRounded bounds every row as the usual one where tiles look for near pairs. The few rows and
// columns with larger bounds, clipped or far out, have bounds of their own for each pair.
type byRounded struct {
	*Rounded
	byCodes
	own    []end     // of the columns
	limits []float64 // within which a column takes rows
	far    []uint32  // columns that are not usual
	rows   []uint32
	mine   []uint32 // bounds of all columns for one row
}

func (s *byRounded) Columns(places []uint32, worst []float32, _ []uint32) {
	s.byCodes.Columns(places, nil, nil)
	s.own, s.limits, s.far = s.own[:0], s.limits[:0], s.far[:0]
	for j, p := range places {
		own := s.end(p)
		s.own, s.limits = append(s.own, own), append(s.limits, math.Inf(-1)) // it takes nothing
		if !s.isUsual(own) {
			s.far = append(s.far, uint32(j))
		}
	}
	for j, w := range worst {
		s.Tighten(uint32(j), w)
	}
}

func (s *byRounded) Tighten(j uint32, worst float32) {
	s.limits[j] = s.codes.Limit(worst)
	if s.isUsual(s.own[j]) {
		s.bounds[j] = s.codes.Within(s.limits[j] + play(s.own[j], s.usual))
	}
}

func (s *byRounded) Rows(places []uint32) {
	s.rows = append(s.rows[:0], places...)
	s.byCodes.Rows(places)
}

// Near has the tile find the pairs within the usual bound, and then tests each pair by its own
// bound.
func (s *byRounded) Near(r int, worst float32) ([]uint32, []float32) {
	x, limit := s.end(s.rows[r]), s.codes.Limit(worst)
	if !s.isUsual(x) {
		return s.nearFar(r, limit, x), nil
	}
	for _, j := range s.far {
		s.bounds[j] = s.within(j, limit, x)
	}
	own, limits := s.own, s.limits
	distances, near := s.tile.Either(r, s.codes.Within(limit+play(x, s.usual)), s.bounds)
	n := 0
	for i, d := range distances {
		j := near[i]
		if s.codes.Reaches(d, max(limit, limits[j])+play(x, own[j])) {
			near[n] = j
			n++
		}
	}
	return near[:n], nil
}

// nearFar is Near for a row that is not usual.
func (s *byRounded) nearFar(r int, limit float64, x end) []uint32 {
	s.mine = slices.Grow(s.mine[:0], len(s.bounds))[:len(s.bounds)]
	for j := range s.own {
		s.mine[j] = s.within(uint32(j), limit, x)
	}
	_, near := s.tile.Either(r, 0, s.mine)
	return near
}

// within is the distance of codes beyond which neither column j takes a row, nor the row, which
// takes pairs within limit, the column.
func (s *byRounded) within(j uint32, limit float64, x end) uint32 {
	return s.codes.Within(max(limit, s.limits[j]) + play(x, s.own[j]))
}

// Prime returns the numbers of some more than k columns, nearest to row r of the band by
// their codes, to be offered to an empty list before its limit filters others.
func (s *byRounded) Prime(r int) []uint32 {
	_, near := s.tile.Within(r, s.tile.Bound(r, min(s.k+2, s.wide)))
	return near
}

// Tells reports whether codes exclude enough pairs. It looks at evenly spread rows: for these, all but a
// sixteenth of the others must be farther away than the k nearest plus the error of the bounds. If not,
// float32 products are the better screen, since a key costs as much as some twenty pairs of these.
func (r *Rounded) Tells() bool {
	columns, rows := spread(r.codes.Len(), tellColumns), spread(r.codes.Len(), tellRows)
	last := min(r.k, len(columns)-1)
	tile := r.codes.NewTile()
	tile.Columns(columns, nil)
	told := 0
	for band := range slices.Chunk(rows, codes.BandRows) {
		tile.Rows(band, len(columns))
		for i, x := range band {
			some, _ := tile.Within(i, tile.Bound(i, last+1))
			slices.Sort(some)
			nearest, own := r.codes.Apart(some[last]), r.end(x)
			distances, places := tile.Within(i, math.MaxUint32)
			for j, d := range distances {
				if r.codes.Apart(d) <= nearest+play(own, r.end(places[j])) {
					told++
				}
			}
		}
	}
	return 16*told <= len(columns)*len(rows)
}

// Few enough to be nothing beside all pairs, enough for their nearest to be near.
const tellColumns, tellRows = 4096, 64

// spread are at most some of n places.
func spread(n, most int) []uint32 {
	places := make([]uint32, min(n, most))
	for i := range places {
		places[i] = uint32(i * n / len(places))
	}
	return places
}
