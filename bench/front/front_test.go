package front

import (
	"math"
	"testing"
)

func TestFront(t *testing.T) {
	f := Of([]Point{{0.5, 1}, {0.9, 10}, {0.8, 12}, {0.99, 100}, {0.4, 1}})
	if len(f) != 3 || f[0] != (Point{0.5, 1}) || f[1] != (Point{0.9, 10}) || f[2] != (Point{0.99, 100}) {
		t.Fatalf("front %v", f)
	}
	for _, cost := range []float64{1, 2, 10, 37, 100} {
		got, ok := At(f, Within(f, cost))
		if !ok || math.Abs(got-cost) > 1e-9*cost {
			t.Errorf("what is reached for %v costs %v", cost, got)
		}
	}
	if _, ok := At(f, 0.995); ok {
		t.Error("beyond the front")
	}
	if got := Within(f, 0.5); got != 0 {
		t.Errorf("below the front: %v", got)
	}
	if got, _ := At(f, 0.3); got != 1 {
		t.Errorf("below the first recall: %v", got)
	}
}
