package job

import (
	"math"
	"testing"
)

// TestDeclining: if each division with its joins leaves half of what is missing, as many follow as it
// takes to halve that down to the target; by keys each costs as many pairs of the exact method as a key does.
func TestDeclining(t *testing.T) {
	after := func(last ...Stage) *State {
		return &State{Rows: 1000, Steer: 256, Stages: append([]Stage{{Kind: DivisionStage, Recall: 0.8, Requested: 900_000}}, last...)}
	}
	division := Stage{Kind: DivisionStage, Recall: 0.85, Requested: 900_000}
	joined := func(recall float64) Stage { return Stage{Kind: PropagationStage, Recall: recall, Requested: 100_000} }
	byKeys := after(division, joined(0.9))
	byKeys.Means = ByKeys
	goal := Goal{Recall: 0.97, Propagate: true, Screened: true}
	for _, c := range []struct {
		name       string
		s          *State
		sum, cycle float64
	}{
		{"halved", after(division, joined(0.9)), 2000, 1000},
		{"by keys", byKeys, 2000 * keyWorth, 1000 * keyWorth},
		{"nothing gained", after(division, joined(0.8)), math.Inf(1), 1000},
		{"the last bit gained", after(division, joined(math.Nextafter(0.8, 1))), math.Inf(1), 1000},
		{"a thousandth gained", after(division, joined(0.8002)), 1000 * 1895.5, 1000},
		{"there", after(division, joined(0.98)), 0, 1000},
		{"no joins", after(division), 0, 0},
	} {
		if sum, cycle := goal.Declining(c.s); sum != c.sum || cycle != c.cycle {
			t.Errorf("%s: %v pairs, %v each time; want %v, %v", c.name, sum, cycle, c.sum, c.cycle)
		}
	}
}

// TestHalfCycle: of half a division after joins the rows that steer tell too little: the division before it counts
// as well, unless it came before the joins; a whole division leaves the square of what its half does.
func TestHalfCycle(t *testing.T) {
	division := func(leaves int, recall float64) Stage {
		return Stage{Kind: DivisionStage, Leaves: leaves, Recall: recall, Requested: 400_000 + 400_000*int64(1-leaves/2)}
	}
	joined := Stage{Kind: PropagationStage, Recall: 0.8, Requested: 100_000}
	after := func(stages ...Stage) *State { return &State{Rows: 1000, Steer: 256, Stages: stages} }
	for _, c := range []struct {
		name string
		s    *State
		want cycle
		left float64 // by a whole division, of what was missing before the cycle
	}{
		{"a whole one", after(division(0, 0.5), joined, division(0, 0.9)), cycle{0.1, 800, 4, true}, 0.5},
		{"a half alone", after(division(0, 0.5), joined, division(2, 0.9)), cycle{0.1, 400, 2, true}, 0.25},
		{"a half after a whole one", after(division(0, 0.5), joined, division(0, 0.85), division(2, 0.9)), cycle{0.1, 1200, 6, true}, math.Pow(0.5, 2.0/3)},
		{"two halves", after(division(0, 0.5), joined, division(2, 0.85), division(2, 0.9)), cycle{0.1, 800, 4, true}, 0.5},
		{"keys between", after(division(0, 0.5), joined, division(0, 0.85), Stage{Kind: KeysStage, Recall: 0.85}), cycle{}, 0},
	} {
		got := c.s.cycle()
		if math.Abs(got.gained-c.want.gained) > 1e-12 {
			t.Errorf("%s: gained %v, want %v", c.name, got.gained, c.want.gained)
		}
		if got.gained = c.want.gained; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if left := got.left(0.1); c.left > 0 && math.Abs(left-c.left) > 1e-12 {
			t.Errorf("%s: a whole one leaves %v, want %v", c.name, left, c.left)
		}
	}
	if got := after(division(0, 0.5), joined, division(2, 0.9)).DivisionPairs(); got != 800 {
		t.Errorf("a whole division takes %v pairs, want twice those of the half", got)
	}
}

// TestAim: the standard error that is added to the target falls as less is missing.
func TestAim(t *testing.T) {
	goal := Goal{Recall: 0.99}
	s := &State{Rows: 1000, Steer: 256, Stages: []Stage{{Recall: 0.96, Margin: 0.004}}}
	if got := goal.Aim(s); math.Abs(got-0.994) > 1e-12 {
		t.Errorf("of margin 0.004 at 0.96: %v, want 0.994", got)
	}
}
