package recall

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/vectors/distance"
)

// truthOf are the exact lists of some rows of bits, whose distances repeat all the time.
func truthOf(x [][]float64, rows []uint32, k int, plain bool) *Truth {
	t := &Truth{K: k, Rows: rows, name: "truth"}
	for _, row := range rows {
		var all []uint32
		for other := range x {
			if other != int(row) {
				all = append(all, uint32(other))
			}
		}
		slices.SortStableFunc(all, func(a, b uint32) int { return cmp.Compare(squares(x[row], x[a]), squares(x[row], x[b])) })
		for _, other := range all[:k] {
			d := squares(x[row], x[other])
			if plain {
				d = math.Sqrt(d)
			}
			t.Neighbors, t.Distances = append(t.Neighbors, other), append(t.Distances, float32(d))
		}
	}
	return t
}

func squares(a, b []float64) (sum float64) {
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return sum
}

// TestVerify: exact lists are accepted on their scale alone, and never those of other rows,
// however few values there are.
func TestVerify(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	x := make([][]float64, 600)
	for i := range x {
		x[i] = make([]float64, 24)
		for j := range x[i] {
			x[i][j] = float64(rng.IntN(2))
		}
	}
	var rows []uint32
	for row := range 60 {
		rows = append(rows, uint32(10*row))
	}
	key := func(row, neighbor uint32) (float32, error) { return float32(squares(x[row], x[neighbor])), nil }
	for _, plain := range []bool{false, true} {
		truth := truthOf(x, rows, 10, plain)
		for scale, want := range map[TruthDistances]bool{Auto: true, Squared: !plain, Plain: plain} {
			err := truth.Verify(distance.Euclidean, scale, key)
			if (err == nil) != want || err != nil && !errors.Is(err, ErrScale) {
				t.Errorf("plain %v, read as %v: %v", plain, scale, err)
			}
		}
		for shift := 1; shift < len(rows); shift++ {
			other := *truth
			other.Rows = append(slices.Clone(rows[shift:]), rows[:shift]...)
			for _, scale := range []TruthDistances{Auto, Squared, Plain} {
				if err := other.Verify(distance.Euclidean, scale, key); !errors.Is(err, ErrScale) {
					t.Errorf("lists %d rows off, read as %v: %v", shift, scale, err)
				}
			}
		}
	}
	broken := errors.New("broken")
	if err := truthOf(x, rows[:1], 10, true).Verify(distance.Cosine, Auto, func(uint32, uint32) (float32, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}
