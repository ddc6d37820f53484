package explore

import (
	"math"
	"testing"
)

// TestHistogramOf: every value is counted in one bin, and infinite ones, which are distances too large for float32, in
// the first or the last.
func TestHistogramOf(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		values      []float32
		low, high   float32
		first, last int
	}{
		{[]float32{0, 1, 2, 3, 4}, 0, 3, 1, 2},
		{[]float32{2, 2, 2}, 2, 2, 0, 3},
		{[]float32{inf, 1, 3, 2, inf}, 1, 2, 1, 4},
		{[]float32{-inf, -3, -2, -1}, -3, -2, 2, 2},
		{[]float32{-inf, 5, 5, inf}, 5, 5, 1, 3},
		{[]float32{inf, inf}, inf, inf, 0, 2},
		{[]float32{-inf, -inf}, -inf, -inf, 0, 2},
		{[]float32{-math.MaxFloat32, 0, 0, math.MaxFloat32, math.MaxFloat32}, -math.MaxFloat32, math.MaxFloat32, 1, 2},
	} {
		h := HistogramOf(c.values)
		all := 0
		for _, n := range h.Counts {
			all += n
		}
		if float32(h.Low) != c.low || float32(h.High) != c.high || h.Counts[0] != c.first || h.Counts[bins-1] != c.last || all != len(c.values) {
			t.Errorf("%v: %+v, want %v to %v, %d values in the first bin and %d in the last", c.values, h, c.low, c.high, c.first, c.last)
		}
	}
	if h := HistogramOf(nil); h.Counts != nil {
		t.Errorf("no values: %+v", h)
	}
}
