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
		{"a thousandth gained", after(division, joined(0.8002)), 1000 * 1896, 1000},
		{"there", after(division, joined(0.98)), 0, 1000},
		{"no joins", after(division), 0, 0},
	} {
		if sum, cycle := goal.Declining(c.s); sum != c.sum || cycle != c.cycle {
			t.Errorf("%s: %v pairs, %v each time; want %v, %v", c.name, sum, cycle, c.sum, c.cycle)
		}
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
