package job

import (
	"math"
	"testing"

	"github.com/knng/knng/builder/internal/fixed"
)

// TestSteadyDivisions: where each division leaves half, as many follow as it takes to halve the rest
// down to the target; hubs leave less for them, and change no rate.
func TestSteadyDivisions(t *testing.T) {
	goal := &Goal{Recall: 0.9375, Propagate: true, Screened: true}
	after := func(means string, stages ...Stage) *State {
		return &State{Rows: 1000, Steer: 256, Means: means, Stages: stages}
	}
	divided := func(recall float64) Stage { return Stage{Kind: DivisionStage, Recall: recall, Requested: 600_000} }
	hubs := Stage{Kind: HubsStage, Recall: 0.875, Requested: 2_000_000}
	for _, c := range []struct {
		name string
		s    *State
		want float64
	}{
		{"none", after(""), 0},
		{"one", after("", divided(0.5)), 3 * 600},
		{"one by keys", after(ByKeys, divided(0.5)), 3 * 600 * keyWorth},
		{"one and hubs", after("", divided(0.5), hubs), 600},
		{"two", after("", divided(0.5), divided(0.75)), 2 * 600},
		{"two with hubs between", after("", divided(0.5), Stage{Kind: HubsStage, Recall: 0.75}, divided(0.875)), 600},
		{"nothing found", after("", divided(0)), math.Inf(1)},
		{"there", after("", divided(0.94)), 0},
		{"all found, for more", after("", divided(1)), 0},
		{"after joins", after("", divided(0.5), Stage{Kind: PropagationStage, Recall: 0.6}), 0},
	} {
		if got := goal.SteadyDivisions(c.s); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v pairs, want %v", c.name, got, c.want)
		}
	}
}

// TestDivisionsAlone: where divisions find as much as AfterDivision says, as many follow as it takes by that;
// where the last one found less, more. Hubs and rows that steer between them change no rate.
func TestDivisionsAlone(t *testing.T) {
	goal := &Goal{Recall: 0.95, Propagate: true, Screened: true}
	after := func(means string, stages ...Stage) *State {
		return &State{Rows: 1000, Steer: 256, Means: means, Stages: stages}
	}
	divided := func(recall float64) Stage { return Stage{Kind: DivisionStage, Recall: recall, Requested: 600_000} }
	first, second := 0.3, fixed.AfterDivision(0.3, 4, 4)
	divisions, recall := 0.0, second
	for balls := 8; recall < goal.Recall; balls += Overlap {
		recall = fixed.AfterDivision(recall, balls, Overlap)
		divisions++
	}
	for _, c := range []struct {
		name       string
		s          *State
		sum, cycle float64
	}{
		{"as foreseen", after("", divided(first), divided(second)), 600 * divisions, 600},
		{"by keys beside codes", after(ByKeys, divided(first), divided(second)), 600 * keyWorth * divisions, 600 * keyWorth},
		{"nothing found", after("", divided(0.3), divided(0.3)), math.Inf(1), 600},
		{"there", after("", divided(0.3), divided(0.96)), 0, 600},
		{"a single one", after("", divided(0.3)), 0, 0},
		{"after joins", after("", divided(0.3), divided(0.4), Stage{Kind: PropagationStage, Recall: 0.5}), 0, 0},
		{"after keys took over", after("", divided(0.3), divided(0.4), Stage{Kind: KeysStage, Recall: 0.5}), 0, 0},
	} {
		if sum, cycle := goal.DivisionsAlone(c.s); sum != c.sum || cycle != c.cycle {
			t.Errorf("%s: %v pairs, %v each; want %v, %v", c.name, sum, cycle, c.sum, c.cycle)
		}
	}
	slow, _ := goal.DivisionsAlone(after("", divided(first), divided((first+second)/2)))
	aided, _ := goal.DivisionsAlone(after("", divided(first), divided((first+second)/2), Stage{Kind: HubsStage, Recall: second}))
	if plain := 600 * divisions; slow <= aided || aided <= plain {
		t.Errorf("%v pairs where the last division found half as much, %v where hubs found the rest; want more than the latter, and than %v", slow, aided, plain)
	}
}
