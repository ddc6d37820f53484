package balls

import (
	"testing"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
)

// TestLeavesOfKnown: from lists of all rows the second division is as short as the recall asked for
// lets it be, but where the options limit divisions: a third one would have no leaves left.
func TestLeavesOfKnown(t *testing.T) {
	known := func(uint32, []uint32, []float32) ([]uint32, []float32, error) { return nil, nil, nil }
	for _, c := range []struct{ divisions, number, want int }{{0, 2, 1}, {8, 2, 4}, {6, 2, 2}} {
		b := &build.Build{}
		b.Goal = job.Goal{Recall: 0.95, Divisions: c.divisions, Propagate: true}
		b.State = job.State{Rows: 1000, Steer: 256, Stages: []job.Stage{
			{Kind: job.KnownStage, Recall: 0.86}, {Kind: job.DivisionStage, Number: 1, Recall: 0.945}}}
		m := New(b, Options{Known: known, Ends: []int{1000}})
		if got := m.leavesOf(c.number); got != c.want {
			t.Errorf("of at most %d leaves, division %d has %d, want %d", c.divisions, c.number, got, c.want)
		}
	}
}
