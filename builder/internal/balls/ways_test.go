package balls

import (
	"testing"

	"github.com/knng/knng/builder/internal/job"
)

// TestTiersBefore: builds of bench/cmd/shapes for 0.99, stage by stage, and the share of all pairs that tiers
// would have taken after each division and the joins that follow it; the last is made up. Tiers come first
// where going on leads beyond the budget, and not where divisions and joins pay.
func TestTiersBefore(t *testing.T) {
	type step struct {
		division, recall float64 // pairs a row
		joined, to       float64 // by the joins after it
		tiers            float64
	}
	for _, c := range []struct {
		name    string
		rows    int
		ceiling float64
		means   string
		steps   []step
		want    int // the step after which tiers come first
	}{
		{"random-hashes, which took 1.76 of all pairs", 40_000, 0, job.ByKeys,
			[]step{{623, 0.24, 0, 0, 0.996}, {623, 0.38, 0, 0, 0.984}, {623, 0.478, 0, 0, 0.984}}, 3},
		{"one-huge-cluster, which took 1.24: codes tell too few of its neighbors", 60_000, 0.9881, "",
			[]step{{3832, 0.557, 0, 0, 0.984}, {1779, 0.701, 0, 0, 0.965}}, 1},
		{"the same if codes told them", 60_000, 1, "",
			[]step{{3832, 0.557, 0, 0, 0.984}, {1779, 0.701, 0, 0, 0.965}, {1770, 0.802, 0, 0, 0.938}}, 0},
		{"gauss, which took 0.80", 100_000, 1, "",
			[]step{{3900, 0.407, 0, 0, 0.938}, {1822, 0.538, 0, 0, 0.902}, {1840, 0.636, 0, 0, 0.859}, {1834, 0.718, 0, 0, 0.859},
				{1833, 0.773, 0, 0, 0.809}, {1801, 0.820, 0, 0, 0.750}, {1822, 0.864, 0, 0, 0.750}, {1827, 0.893, 0, 0, 0.684},
				{1816, 0.915, 0, 0, 0.684}, {1821, 0.936, 0, 0, 0.609}, {1830, 0.948, 692, 0.971, 0.527}}, 0},
		{"many rows whose codes tell too few neighbors: keys take less", 107_524, 0.982, "",
			[]step{{1900, 0.75, 0, 0, 0.902}, {1900, 0.88, 0, 0, 0.809}, {1900, 0.94, 700, 0.97, 0.684}}, 0},
	} {
		goal := job.Goal{Recall: 0.99, Propagate: true, Screened: c.means == ""}
		s, got := &job.State{Rows: c.rows, Steer: 256, Ceiling: c.ceiling, Means: c.means, Plan: job.Schedule{Switch: 0.94}}, 0
		for i, step := range c.steps {
			add := func(kind string, pairs, recall float64) {
				s.Stages = append(s.Stages, job.Stage{Kind: kind, Requested: int64(pairs * float64(c.rows)), Recall: recall, Margin: 0.01 * (1 - recall)})
			}
			if add(job.DivisionStage, step.division, step.recall); step.to > 0 {
				add(job.PropagationStage, step.joined, step.to)
			}
			if tiersBefore(waysOn(s, &goal, job.DivisionStage), goal.Spent(s), step.tiers*s.AllPairs(s.Rows)) {
				got = i + 1
				break
			}
		}
		if got != c.want {
			t.Errorf("%s: tiers come first after division %d, want %d", c.name, got, c.want)
		}
	}
}
