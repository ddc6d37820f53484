package balls

import (
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/builder/plan"
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

// TestHalves: a division after joins has half of the leaves where these are expected to suffice, or where a whole one
// is dear and two are expected to; not before the first joins, nor within the user's limits.
func TestHalves(t *testing.T) {
	division := func(recall, pairs float64) job.Stage {
		return job.Stage{Kind: job.DivisionStage, Recall: recall, Margin: 0.002, Requested: int64(pairs * 10_000)}
	}
	joined := func(recall float64) job.Stage {
		return job.Stage{Kind: job.PropagationStage, Recall: recall, Margin: 0.002}
	}
	for _, c := range []struct {
		name   string
		most   int
		stages []job.Stage
		want   int
	}{
		{"much is missing", 0, []job.Stage{division(0.6, 100), joined(0.8), division(0.86, 100), joined(0.9)}, 4},
		{"little is missing", 0, []job.Stage{division(0.6, 100), joined(0.9), division(0.94, 100), joined(0.945)}, 2},
		{"one division is missing", 0, []job.Stage{division(0.6, 100), joined(0.89), division(0.92, 100), joined(0.925)}, 4},
		{"a dear one is missing", 0, []job.Stage{division(0.6, 500), joined(0.89), division(0.92, 500), joined(0.925)}, 2},
		{"three dear ones are missing", 0, []job.Stage{division(0.6, 500), joined(0.8), division(0.84, 500), joined(0.85)}, 4},
		{"no joins", 0, []job.Stage{division(0.9, 500), division(0.949, 500)}, 4},
		{"nothing gained", 0, []job.Stage{division(0.6, 500), joined(0.9), division(0.9, 500), joined(0.9)}, 4},
		{"a limit", 64, []job.Stage{division(0.6, 100), joined(0.9), division(0.94, 100), joined(0.945)}, 4},
	} {
		b := &build.Build{}
		b.Goal = job.Goal{Recall: 0.95, Divisions: c.most, Propagate: true}
		b.State = job.State{Rows: 10_000, Steer: 256, Stages: c.stages}
		if got := New(b, Options{}).leavesOf(3); got != c.want {
			t.Errorf("%s: %d leaves, want %d", c.name, got, c.want)
		}
	}
}

// TestFirstDivision: where rows look into cells of leaders, the first division may have the leaves of several: not by keys, not within
// the user's limits, not where a forecast is missing. Where a build joins graphs there are more of them, if so many are expected.
func TestFirstDivision(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	known := func(uint32, []uint32, []float32) ([]uint32, []float32, error) { return nil, nil, nil }
	for _, c := range []struct {
		name           string
		rows, expected int
		most           int
		keyed, parted  bool
		want           int
	}{
		{"few rows", 240_000, 16, 0, false, false, 4},
		{"few leaves", 1_000_000, 4, 0, false, false, 12},
		{"few leaves of parts", 1_000_000, 4, 0, false, true, 4},
		{"three divisions of parts", 1_000_000, 12, 0, false, true, 10},
		{"two divisions", 1_000_000, 8, 0, false, false, 12},
		{"three divisions", 1_000_000, 12, 0, false, false, 12},
		{"four divisions", 1_000_000, 16, 0, false, false, 12},
		{"many divisions", 240_001, 64, 0, false, false, 12},
		{"by keys", 1_000_000, 16, 0, true, false, 4},
		{"a limit", 1_000_000, 16, 12, false, false, 4},
		{"no forecast", 1_000_000, 0, 0, false, false, 4},
		{"halves", 1_000_000, 16, 0, false, true, 14},
		{"few rows of parts", 360_000, 16, 0, false, true, 4},
	} {
		_, space := rowstest.Bytes(t, rng, 2, 4, 256)
		b := &build.Build{Points: points.Points{Space: space, Order: make([]uint32, c.rows)}}
		b.Set.LeafSize = 1000
		b.Goal = job.Goal{Recall: 0.95, Divisions: c.most, Propagate: true}
		b.State = job.State{Rows: c.rows, Steer: 256}
		if c.expected > 0 {
			b.State.Expected = &plan.Plan{Divisions: c.expected}
		}
		b.Keyed = c.keyed
		o := Options{}
		if c.parted {
			o = Options{Known: known, Ends: []int{c.rows / 2, c.rows}}
			b.State.Stages = []job.Stage{{Kind: job.KnownStage, Recall: 0.5}}
		}
		if got := New(b, o).leavesOf(1); got != c.want {
			t.Errorf("%s: %d leaves, want %d", c.name, got, c.want)
		}
	}
}
