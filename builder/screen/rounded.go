package screen

import (
	"math"
	"slices"

	"github.com/knng/knng/vectors/codes"
)

// Rounded is rows whose codes are not exact, and how far they lie from them
// (codes.Matrix.Residual): what that may have changed of a distance is bounded by the
// triangle inequality. Codes are compared at the speed of bytes; what residuals leave open
// is for keys to decide. It is immutable.
type Rounded struct {
	codes *codes.Matrix
	usual float64 // a residual that few rows exceed
	k     int     // neighbors of a list
}

// NewRounded keeps m.
func NewRounded(m *codes.Matrix, k int) *Rounded {
	some := spread(m.Len(), tellColumns)
	sorted := make([]float32, len(some))
	for i, p := range some {
		sorted[i] = m.Residual(p)
	}
	slices.Sort(sorted)
	return &Rounded{codes: m, usual: float64(sorted[len(sorted)*31/32]), k: k}
}

// Screen returns a screen, which is a [Primer] as well.
func (r *Rounded) Screen() Screen {
	return &byRounded{Rounded: r, byCodes: byCodes{tile: r.codes.NewTile()}}
}

// byRounded takes every residual for the usual one where tiles look for what is near.
// For the few rows and columns that have a larger one, clipped as they were, bounds are
// made for each pair.
type byRounded struct {
	*Rounded
	byCodes
	own   []float32 // residuals of the columns
	steps []float64 // within which a column takes rows
	far   []uint32  // columns of more than the usual residual
	rows  []uint32
	mine  []uint32 // bounds of all columns for one row
}

func (s *byRounded) Columns(places []uint32, worst []float32, _ []uint32) {
	s.byCodes.Columns(places, nil, nil)
	s.own, s.steps, s.far = s.own[:0], s.steps[:0], s.far[:0]
	for j, p := range places {
		own := s.codes.Residual(p)
		s.own, s.steps = append(s.own, own), append(s.steps, math.Inf(-1)) // it takes nothing
		if float64(own) > s.usual {
			s.far = append(s.far, uint32(j))
		}
	}
	for j, w := range worst {
		s.Tighten(uint32(j), w)
	}
}

func (s *byRounded) Tighten(j uint32, worst float32) {
	s.steps[j] = s.codes.Rounding().Steps(worst) + float64(s.own[j])
	if float64(s.own[j]) <= s.usual {
		s.bounds[j] = codes.WithinSteps(s.steps[j] + s.usual)
	}
}

func (s *byRounded) Rows(places []uint32) {
	s.rows = append(s.rows[:0], places...)
	s.byCodes.Rows(places)
}

// Near has the tile find what usual residuals would not leave out, and then looks at each
// pair's own.
func (s *byRounded) Near(r int, worst float32) ([]uint32, []float32) {
	own := float64(s.codes.Residual(s.rows[r]))
	steps := s.codes.Rounding().Steps(worst) + own
	if own > s.usual {
		return s.nearFar(r, steps, own), nil
	}
	for _, j := range s.far {
		s.bounds[j] = s.within(j, steps, own)
	}
	distances, near := s.tile.Either(r, codes.WithinSteps(steps+s.usual), s.bounds)
	n := 0
	for i, d := range distances {
		j := near[i]
		if d <= s.within(j, steps, own) {
			near[n] = j
			n++
		}
	}
	return near[:n], nil
}

// nearFar is Near for a row of more than the usual residual.
func (s *byRounded) nearFar(r int, steps, own float64) []uint32 {
	s.mine = slices.Grow(s.mine[:0], len(s.bounds))[:len(s.bounds)]
	for j := range s.own {
		s.mine[j] = s.within(uint32(j), steps, own)
	}
	_, near := s.tile.Either(r, 0, s.mine)
	return near
}

// within is the distance of codes beyond which neither column j nor a row that takes what
// is within some steps, and has a residual of its own, takes the other.
func (s *byRounded) within(j uint32, steps, own float64) uint32 {
	return codes.WithinSteps(max(steps+float64(s.own[j]), s.steps[j]+own))
}

// Prime returns the numbers of some more than k columns, nearest to row r of the band by
// their codes: what an empty list should be offered before it is asked what may enter.
func (s *byRounded) Prime(r int) []uint32 {
	_, near := s.tile.Within(r, s.tile.Bound(r, min(s.k+2, s.wide)))
	return near
}

// Tells reports whether codes tell well enough what is near: whether of some rows, evenly
// spread, all but a sixteenth of the others lie further away than the k nearest and what
// residuals leave open. A key costs as much as some twenty pairs that are compared in
// float32, which it takes where codes do not tell.
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
			nearest := math.Sqrt(float64(some[last])) + float64(r.codes.Residual(x))
			distances, places := tile.Within(i, math.MaxUint32)
			for j, d := range distances {
				if math.Sqrt(float64(d)) <= nearest+float64(r.codes.Residual(places[j])) {
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
