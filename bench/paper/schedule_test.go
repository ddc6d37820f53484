package paper

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/knng/knng/builder"
)

// planned is the schedule of a file of the small plan.
func planned(t *testing.T, c *Config) (*runner, []stage) {
	t.Helper()
	log, err := OpenLog(t.TempDir() + "/runs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{Config: c, Plan: c.plan(), log: log, pace: pace{}, began: time.Now()}
	files, err := r.open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files[0].input.Close() })
	stages, err := r.schedule(files)
	if err != nil {
		t.Fatal(err)
	}
	return r, stages
}

// TestSchedule: nothing is planned twice, every system has its turn at every k
// before anything is done with a second seed, and all of it has an estimate.
func TestSchedule(t *testing.T) {
	r, stages := planned(t, &Config{Files: []string{small(t)}, Out: t.TempDir(), Say: t.Logf})
	planned, second := map[Task]bool{}, false
	met := map[string]bool{}
	for _, s := range stages {
		for _, j := range s.jobs {
			if planned[j.Task] {
				t.Errorf("%+v stands twice in the schedule", j.Task)
			}
			planned[j.Task] = true
			if about := r.expect(&j); about <= 0 || about > time.Hour {
				t.Errorf("%+v is expected to take %v", j.Task, about)
			}
			second = second || j.Seed != r.Seeds[0]
			if j.Study == accuracyStudy && !second {
				met[j.System] = true
			}
		}
	}
	for _, system := range Systems {
		if !met[system] {
			t.Errorf("%s does not come before other seeds", system)
		}
	}
}

// TestBudget: what would end later than the budget is left out, and counted.
func TestBudget(t *testing.T) {
	c := &Config{Files: []string{small(t)}, Out: t.TempDir(), Quick: true, Time: time.Nanosecond, Say: t.Logf}
	log, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(log.Runs()) != 0 || c.left == 0 || c.leftTime <= 0 {
		t.Errorf("%d runs, %d left, about %v", len(log.Runs()), c.left, c.leftTime)
	}
}

// TestPace: estimates follow what builds took, those most alike first.
func TestPace(t *testing.T) {
	r, stages := planned(t, &Config{Files: []string{small(t)}, Out: t.TempDir(), Quick: true, Say: t.Logf})
	one := func(system string, k int) *job {
		for _, s := range stages {
			for i := range s.jobs {
				if j := &s.jobs[i]; j.Study == accuracyStudy && j.System == system && j.K == k {
					return j
				}
			}
		}
		t.Fatalf("no %s at k = %d", system, k)
		return nil
	}
	r.pace.met(one(KDTrees, 1), Run{Wall: 3 * one(KDTrees, 1).about()})
	r.pace.met(one(KDTrees, 20), Run{Wall: 5 * one(KDTrees, 20).about()})
	for _, c := range []struct {
		j           *job
		least, most float64
	}{{one(KDTrees, 1), 3, 3}, {one(KDTrees, 20), 5, 5}, {one(KDTrees, 50), 3, 5}, {one(Glue, 20), 3, 5}} {
		if ratio := r.pace.of(c.j) / c.j.about(); ratio < c.least-1e-9 || ratio > c.most+1e-9 {
			t.Errorf("%s, k = %d: %.2f times the estimate, want %g to %g", c.j.System, c.j.K, ratio, c.least, c.most)
		}
	}
}

// TestHindsight: the fixed number of divisions that suffices for the fewest pairs.
func TestHindsight(t *testing.T) {
	at := func(setting string, recall, requested float64) Run {
		return Run{Task: Task{Study: triggerStudy, Data: "made up", Rows: 1, Setting: setting}, Recall: builder.RecallEstimate{Recall: recall},
			Detail: map[string]float64{"requested": requested}}
	}
	runs := []Run{at("M 1", 0.5, 10), at("M 8", 0.95, 60), at("M 4", 0.9, 30), at("effective rate under 0.05", 0.89, 50)}
	fixedRuns, ruled := hindsight(runs, "made up")
	if len(fixedRuns) != 3 || len(ruled) != 1 {
		t.Fatalf("%d fixed, %d by rules", len(fixedRuns), len(ruled))
	}
	if best, ok := inHindsight(fixedRuns, 0.89); !ok || best.Setting != "M 4" {
		t.Errorf("in hindsight %q", best.Setting)
	}
	if _, ok := inHindsight(fixedRuns, 0.96); ok {
		t.Error("no fixed number reaches that")
	}
	claim := triggerClaim(runs, "made up")
	if claim.Verdict != Not {
		t.Errorf("%+v", claim)
	}
}

// TestOrderClaim: both ways to propagate are read at the same comparisons.
func TestOrderClaim(t *testing.T) {
	at := func(system string, recall float64, comparisons int64) Run {
		return Run{Task: Task{Study: visitsStudy, Data: "made up", Rows: 1, System: system}, Recall: builder.RecallEstimate{Recall: recall}, Comparisons: comparisons}
	}
	runs := []Run{at(Propagation, 0.8, 100), at(Propagation, 0.9, 200), at(SecondOrder, 0.85, 200)}
	if c := orderClaim(runs, "made up"); c.Verdict != Holds {
		t.Errorf("%+v", c)
	}
	runs = append(runs, at(SecondOrder, 0.7, 90)) // nothing is known of best first there
	if c := orderClaim(runs, "made up"); c.Verdict != Holds {
		t.Errorf("%+v", c)
	}
	runs = append(runs, at(SecondOrder, 0.95, 150))
	if c := orderClaim(runs, "made up"); c.Verdict != Not {
		t.Errorf("%+v", c)
	}
	if !slices.Equal(others([]int{1, 20, 50}, 20), []int{1, 50}) || math.IsNaN(perK(Glue, 50)) {
		t.Error("others")
	}
}

// TestHopeless: a setting is not begun where builds of its system say that its limit
// would end it, nor are the costlier ones of its series; where nothing is known of the
// system it is.
func TestHopeless(t *testing.T) {
	c := &Config{Files: []string{small(t)}, Out: t.TempDir(), Quick: true, Say: t.Logf}
	r, stages := planned(t, c)
	var jobs []job
	for _, s := range stages {
		for _, j := range s.jobs {
			if j.Study == accuracyStudy && j.System == KDTrees && j.K == 20 && j.Seed == 1 {
				jobs = append(jobs, j)
			}
		}
	}
	slices.SortFunc(jobs, func(a, b job) int { return cmp.Compare(a.about(), b.about()) })
	jobs = []job{jobs[0], jobs[len(jobs)-1]}
	if _, is := r.hopeless(&jobs[1]); is {
		t.Fatal("hopeless before anything was built")
	}
	slow := 1.01 * jobs[1].limit.Seconds() * jobs[0].about() / jobs[1].about()
	r.pace.met(&jobs[0], Run{Wall: slow})
	_, cheap := r.hopeless(&jobs[0])
	seconds, costly := r.hopeless(&jobs[1])
	if cheap || !costly {
		t.Errorf("%s took %.1f s of %v: hopeless %v and %v", jobs[0].Setting, slow, jobs[0].limit, cheap, costly)
	}
	if err := r.run(context.Background(), []stage{{"", jobs[1:]}}); err != nil {
		t.Fatal(err)
	}
	runs := r.log.Runs()
	if len(runs) != 1 || r.left != 0 || runs[0].Task != jobs[1].Task || !runs[0].TimedOut || runs[0].Expected != seconds {
		t.Fatalf("%d left, runs %+v", r.left, runs)
	}
	if v := compared(runs)[0]; v.tried(KDTrees, 20) || len(v.points(KDTrees, 20, byTime)) != 0 {
		t.Error("tried though cheaper settings were not run, or a point")
	}
	for _, s := range Grid(KDTrees, jobs[1].Rows, 20) {
		if s.Cost < jobs[1].setting.Cost {
			run := Run{Task: jobs[1].Task}
			run.Setting = s.Name
			runs = append(runs, run)
		}
	}
	if !compared(runs)[0].tried(KDTrees, 20) {
		t.Error("what would not end in time does not count as tried")
	}
	before := *r.pace[""]
	r.learn([]stage{{"", jobs[1:]}})
	if *r.pace[""] != before {
		t.Error("something was learned from what was not begun")
	}
}
