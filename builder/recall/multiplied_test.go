package recall

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/knng/knng/vectors/distance"
)

// TestMultipliedRows: the truth of rows of unusual size, as they were given, is that of a graph that multiplied
// its rows; so are the keys of the graph itself. The distances of other rows are not.
func TestMultipliedRows(t *testing.T) {
	const exponent = -80
	rng := rand.New(rand.NewPCG(5, 1))
	x := make([][]float64, 100)
	for i := range x {
		x[i] = []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
	}
	key := func(row, neighbor uint32) (float32, error) { return float32(squares(x[row], x[neighbor])), nil }
	for _, m := range []distance.Metric{distance.Euclidean, distance.SqEuclidean} {
		for factor, want := range map[float64]bool{0x1p80: true, 1: true, 0x1p79: false} {
			truth := truthOf(x, []uint32{3, 50, 7}, 5, true)
			truth.Exponent = exponent
			for i, d := range truth.Distances {
				truth.Distances[i] = float32(float64(d) * factor)
			}
			lookup := func(row uint32, n []uint32, k []float32) ([]uint32, []float32, error) {
				for i, r := range truth.Rows {
					if r == row {
						neighbors, _ := truth.List(i)
						for _, other := range neighbors {
							own, _ := key(row, other)
							n, k = append(n, other), append(k, own)
						}
					}
				}
				return n, k, nil
			}
			if factor == 1 { // keys, as in a gt export
				for i, d := range truth.Distances {
					truth.Distances[i] = d * d
				}
			}
			if err := truth.Verify(m, Auto, key); (err == nil) != want || err != nil && !errors.Is(err, ErrScale) {
				t.Errorf("%v, times %g: %v", m, factor, err)
			}
			per, err := truth.PerRow(len(x), 5, m, Auto, lookup)
			if (err == nil) != want || want && (per[0] != 1 || per[2] != 1) {
				t.Errorf("%v, times %g: recall %v, %v", m, factor, per, err)
			}
		}
	}
}

// TestSquaresBeyondFloat32: the error of squares that are infinite says what the truth must have.
func TestSquaresBeyondFloat32(t *testing.T) {
	_, err := ReadTruth(writeMatrix(t, "x.gt", 1, 1, []int32{1}, []float32{float32(math.Inf(1))}), "")
	if err == nil || !strings.Contains(err.Error(), "must have plain ones") {
		t.Error(err)
	}
}
