package job

import "testing"

// TestHubsAreComparedOnce: a build by codes that cannot tell hubs apart went on to compare with them
// for ever.
func TestHubsAreComparedOnce(t *testing.T) {
	var s State
	for i, c := range []struct {
		kind string
		want bool
	}{{DivisionStage, false}, {HubsStage, true}, {PropagationStage, true}, {DivisionStage, true}, {KeysStage, false}, {DivisionStage, false}, {HubsStage, true}} {
		s.Stages = append(s.Stages, Stage{Kind: c.kind})
		if got := s.HubsCompared(); got != c.want {
			t.Errorf("after %d stages, the last a %s: compared with hubs %v, want %v", i+1, c.kind, got, c.want)
		}
	}
}
