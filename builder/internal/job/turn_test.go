package job

import "testing"

// TestKeysAgainstAllPairs: a pair by keys costs ten of those that the exact method compares by
// screens, and one of its own where it has none; a build by keys turns to all pairs by that.
func TestKeysAgainstAllPairs(t *testing.T) {
	after := func(rows int, means, kind string, recall float64) *State {
		return &State{Rows: rows, Steer: 256, Means: means, Plan: Schedule{Switch: 0.875},
			Stages: []Stage{{Kind: kind, Requested: 623 * int64(rows), Recall: recall}}}
	}
	goal := Goal{Recall: 0.95, Propagate: true, Screened: true}
	byKeysAlone := goal
	byKeysAlone.Screened = false
	for _, c := range []struct {
		name string
		goal Goal
		s    *State
		want string
	}{
		{"far from the target", goal, after(40_000, ByKeys, DivisionStage, 0.278), ListsStage},
		{"far from it, among many", goal, after(400_000, ByKeys, DivisionStage, 0.278), ""},
		{"near the target", goal, after(100_000, ByKeys, DivisionStage, 0.859), ""},
		{"all pairs by keys too", byKeysAlone, after(40_000, ByKeys, DivisionStage, 0.278), ""},
		{"by codes", goal, after(40_000, "", DivisionStage, 0.278), ""},
	} {
		if got := c.goal.turn(c.s, false); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if keyed, alone := goal.Keyed(), byKeysAlone.Keyed(); keyed != 25_000 || alone != 2500 {
		t.Errorf("a build by keys costs %v and %v pairs of the exact method, want 25000 and 2500", keyed, alone)
	}
}
