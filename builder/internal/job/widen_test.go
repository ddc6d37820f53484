package job

import (
	"fmt"
	"strings"
	"testing"
)

// TestWidens: more rows steer once, where the first ones reach the target and are uncertain.
func TestWidens(t *testing.T) {
	reached := Stage{Kind: DivisionStage, Recall: 0.96, Margin: 0.008}
	state := func(change func(*State)) *State {
		s := &State{Rows: 60_000, Steer: 256, Stages: []Stage{reached}}
		change(s)
		return s
	}
	for _, c := range []struct {
		name string
		goal Goal
		s    *State
		want bool
	}{
		{"uncertain", Goal{Recall: 0.95}, state(func(*State) {}), true},
		{"certain", Goal{Recall: 0.95}, state(func(s *State) { s.Stages[0].Margin = 0.005 }), false},
		{"a high target asks for more certainty", Goal{Recall: 0.99}, state(func(s *State) { s.Stages[0].Recall, s.Stages[0].Margin = 0.991, 0.003 }), true},
		{"misses on their own", Goal{Recall: 0.90}, state(func(s *State) { s.Stages[0].Recall = 0.912 }), false},
		{"far above", Goal{Recall: 0.90}, state(func(*State) {}), false},
		{"not there yet", Goal{Recall: 0.97}, state(func(*State) {}), false},
		{"done already", Goal{Recall: 0.95}, state(func(s *State) { s.Steer = WideSteer }), false},
		{"few rows", Goal{Recall: 0.95}, state(func(s *State) { s.Rows = 10_000 }), false},
		{"limited by its user", Goal{Recall: 0.95, Divisions: 8}, state(func(*State) {}), false},
		{"nothing steers", Goal{Recall: 0.95}, state(func(s *State) { s.Steer = 0 }), false},
		{"nothing done", Goal{Recall: 0.95}, state(func(s *State) { s.Stages = nil }), false},
	} {
		if got := c.goal.Widens(c.s); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestDoubts: where a build stops at its target, the rows that report are looked at first.
func TestDoubts(t *testing.T) {
	state := func(recall float64) *State {
		return &State{Rows: 60_000, Steer: 256, Stages: []Stage{{Kind: DivisionStage, Recall: recall, Margin: 0.005}}}
	}
	for _, c := range []struct {
		name string
		goal Goal
		s    *State
		stop string
		want bool
	}{
		{"reached", Goal{Recall: 0.95}, state(0.96), "reached", true},
		{"short of it, and so told", Goal{Recall: 0.95}, state(0.94), "nothing more to do", false},
		{"exact", Goal{Recall: 0.95}, state(0.96), allCompared, false},
		{"limited by its user", Goal{Recall: 0.95, Rounds: 3}, state(0.96), "reached", false},
		{"no target", Goal{}, state(0.96), "as asked", false},
		{"nothing done", Goal{Recall: 0.95}, &State{Steer: 256}, "reached", false},
	} {
		if got := c.goal.Doubts(c.s, c.stop); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestJoinedAgain: a state that is saved without the stages from which more rows steer has the rows of
// before the first of them.
func TestJoinedAgain(t *testing.T) {
	j := &Job{State: State{Rows: 60_000, Steer: 1536, Stages: []Stage{
		{Kind: DivisionStage, Recall: 0.96},
		{Kind: SteerStage, Number: WideSteer, Recall: 0.955, Before: 256},
		{Kind: JoinStage, Number: 1280, Recall: 0.945, Before: WideSteer},
		{Kind: PropagationStage, Recall: 0.96},
		{Kind: JoinStage, Number: 1536, Recall: 0.949, Before: 1280},
	}}}
	for unsaved, want := range []int{1536, 1280, 1280, WideSteer, 256} {
		j.Unsaved = unsaved
		saved := j.savedState()
		if rows := saved.FirstSteer(); saved.Steer != want || rows != min(want, WideSteer) {
			t.Errorf("without %d stages %d rows steer, %d of them from the beginning; want %d", unsaved, saved.Steer, rows, want)
		}
	}
	lines := j.State.Lines(true)
	for i, rows := range []int{256, WideSteer, 1280, 1280, 1536} {
		if i >= len(lines) || !strings.HasSuffix(lines[i], fmt.Sprintf(" on %d steering rows", rows)) {
			t.Fatalf("stage %d was measured on %d rows: %q", i+1, rows, lines)
		}
	}
}

// TestWidenedGain: what stages gained does not change because other rows tell it, and a state
// that is saved without the stage that widened has the rows of before.
func TestWidenedGain(t *testing.T) {
	j := &Job{State: State{Rows: 60_000, Steer: WideSteer, Stages: []Stage{
		{Kind: DivisionStage, Recall: 0.75, Requested: 60_000},
		{Kind: DivisionStage, Recall: 0.875, Requested: 60_000},
		{Kind: PropagationStage, Recall: 0.9375, Requested: 60_000},
		{Kind: SteerStage, Recall: 0.875, Before: 256},
	}}}
	s := &j.State
	if gained, known := s.Gained(); gained != 0.0625 || !known || s.LastWork().Kind != PropagationStage {
		t.Errorf("the last stage gained %v (%v), want 0.0625", gained, known)
	}
	if c := s.cycle(); c.gained != 0.1875 || c.pairs != 2 || c.joined {
		t.Errorf("the last cycle gained %v by %v pairs, joined before it %v; want 0.1875 by 2, not joined", c.gained, c.pairs, c.joined)
	}
	j.Unsaved = 1
	if saved := j.savedState(); saved.Steer != 256 || len(saved.Stages) != 3 || s.Steer != WideSteer {
		t.Errorf("saved: %d rows steer after %d stages; want 256 after 3", saved.Steer, len(saved.Stages))
	}
}

// TestKeysAreTried: a build whose lists have all that codes can tell goes over to keys, and how
// codes did does not make it give up on keys: of 100,000 rows of a recording 0.99 took all
// pairs, where two divisions by keys do.
func TestKeysAreTried(t *testing.T) {
	g := Goal{Recall: 0.99, Propagate: true}
	s := &State{Rows: 100_000, Steer: 256, Ceiling: 0.9795, Plan: Schedule{Switch: 0.93}, Stages: []Stage{
		{Kind: DivisionStage, Recall: 0.979, Requested: 186_000_000},
	}}
	if kind, _ := g.OrTurn(s, PropagationStage, ""); kind != KeysStage {
		t.Errorf("at the ceiling of codes: %q, want %q", kind, KeysStage)
	}
	s.Stages = append(s.Stages, Stage{Kind: PropagationStage, Recall: 0.979}, Stage{Kind: DivisionStage, Recall: 0.979, Requested: 178_000_000},
		Stage{Kind: KeysStage, Recall: 0.979})
	if kind, _ := g.OrTurn(s, DivisionStage, ""); kind != DivisionStage {
		t.Errorf("after the change to keys: %q, want %q", kind, DivisionStage)
	}
	s.Stages = append(s.Stages, Stage{Kind: DivisionStage, Recall: 0.979, Requested: 75_000_000})
	if kind, _ := g.OrTurn(s, DivisionStage, ""); kind != ListsStage {
		t.Errorf("after a division by keys that gained nothing: %q, want %q", kind, ListsStage)
	}
}
