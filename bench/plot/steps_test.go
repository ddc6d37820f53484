package plot

import "testing"

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		lo, hi      float64
		first, last string
		count       int
	}{
		{0, 1, "0", "1", 6}, {1, 24, "2", "24", 12}, {1, 32, "5", "30", 6}, {0.35, 0.99, "0.4", "0.9", 6}, {-3, 3, "-3", "3", 7}, {0, 0.12, "0", "0.12", 7},
	} {
		ticks := steps{}.Ticks(c.lo, c.hi)
		if len(ticks) != c.count || ticks[0].Label != c.first || ticks[len(ticks)-1].Label != c.last {
			t.Errorf("%v to %v: %v", c.lo, c.hi, ticks)
		}
	}
	if ticks := (steps{}).Ticks(2, 2); len(ticks) != 0 {
		t.Errorf("an axis of one point: %v", ticks)
	}
}
