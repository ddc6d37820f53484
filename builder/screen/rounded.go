package screen

import (
	"math"
	"slices"

	"github.com/knng/knng/vectors/codes"
)

// Rounded screens by codes that are not exact: residuals are how far rows lie from them
// (codes.Matrix.Residuals). Codes are compared at the speed of bytes; what the residuals
// leave open is for keys to decide. Where residuals are small beside the distances of
// neighbors, that is little: see [Tells]. Lists have k neighbors.
func Rounded(m *codes.Matrix, r codes.Rounding, residuals []float32, k int) Screen {
	return &byRounded{byCodes: byCodes{tile: m.NewTile()}, rounding: r, residuals: residuals, usual: usual(residuals), k: k}
}

// byRounded takes every residual for the usual one where tiles look for what is near, and
// lets the few rows pass that have a larger one, clipped as they were.
type byRounded struct {
	byCodes
	rounding  codes.Rounding
	residuals []float32
	usual     float64
	k         int
	own       []float32 // residuals of the columns
	steps     []float64 // within which a column takes rows
	rows      []uint32
}

// usual is a residual that few rows exceed.
func usual(residuals []float32) float64 {
	some := spread(len(residuals), tellColumns)
	sorted := make([]float32, len(some))
	for i, p := range some {
		sorted[i] = residuals[p]
	}
	slices.Sort(sorted)
	return float64(sorted[len(sorted)*31/32])
}

func (s *byRounded) residual(place uint32) float64 { return float64(s.residuals[place]) }

func (s *byRounded) Columns(places []uint32, worst []float32, _ []uint32) {
	s.byCodes.Columns(places, nil, nil)
	s.own, s.steps = s.own[:0], s.steps[:0]
	for j, p := range places {
		s.own, s.steps = append(s.own, s.residuals[p]), append(s.steps, -1) // it takes nothing
		if s.residual(p) > s.usual {
			s.bounds[j] = math.MaxUint32
		}
	}
	for j, w := range worst {
		s.Tighten(uint32(j), w)
	}
}

func (s *byRounded) Tighten(j uint32, worst float32) {
	s.steps[j] = s.rounding.Steps(worst) + float64(s.own[j])
	if float64(s.own[j]) <= s.usual {
		s.bounds[j] = codes.WithinSteps(s.steps[j] + s.usual)
	}
}

func (s *byRounded) Rows(places []uint32) {
	s.rows = append(s.rows[:0], places...)
	s.byCodes.Rows(places)
}

// Near has the tile find what no residual would leave out, and then looks at each pair's
// own.
func (s *byRounded) Near(r int, worst float32) ([]uint32, []float32) {
	own := s.residual(s.rows[r])
	steps := s.rounding.Steps(worst) + own
	bound := uint32(math.MaxUint32)
	if own <= s.usual {
		bound = codes.WithinSteps(steps + s.usual)
	}
	distances, near := s.tile.Either(r, bound, s.bounds)
	n := 0
	for i, d := range distances {
		j := near[i]
		if d <= codes.WithinSteps(max(steps+float64(s.own[j]), s.steps[j]+own)) {
			near[n] = j
			n++
		}
	}
	return near[:n], nil
}

// Prime returns the numbers of some more than k columns, nearest to row r of the band by
// their codes: what an empty list should be offered before it is asked what may enter.
func (s *byRounded) Prime(r int) []uint32 {
	_, near := s.tile.Within(r, s.tile.Bound(r, min(s.k+2, s.wide)))
	return near
}

// Tells reports whether codes with these residuals tell well enough what is near: whether
// of some rows, evenly spread, all but a sixteenth of the others lie further away than the
// k nearest and what residuals leave open. A key costs as much as some twenty pairs that
// are compared in float32, which it takes where codes do not tell.
func Tells(m *codes.Matrix, residuals []float32, k int) bool {
	columns, rows := spread(m.Len(), tellColumns), spread(m.Len(), tellRows)
	k = min(k, len(columns)-1)
	tile := m.NewTile()
	tile.Columns(columns, nil)
	told := 0
	for band := range slices.Chunk(rows, codes.BandRows) {
		tile.Rows(band, len(columns))
		for r, x := range band {
			distances, places := tile.Within(r, math.MaxUint32)
			sorted := slices.Sorted(slices.Values(distances))
			nearest := math.Sqrt(float64(sorted[k]))
			for i, d := range distances {
				if math.Sqrt(float64(d)) <= nearest+float64(residuals[x]+residuals[places[i]]) {
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
