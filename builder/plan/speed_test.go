package plan

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSpeeds: before anything is seen the plan holds; a pass that is over, and was large, goes by its
// own time, others follow it the more the nearer they are to it; and the more of a pass is seen the more
// it counts.
func TestSpeeds(t *testing.T) {
	tasks := []task{
		{pass: firstDivision, kind: dividing, planned: 40}, {pass: moreDivisions, kind: dividing, planned: 40},
		{pass: "fold", kind: listing, planned: 10}, {pass: "seal", kind: sealing, planned: 10}}
	for _, task := range tasks {
		if got := speedsOf(tasks, 100).of(&task); got != 1 {
			t.Errorf("%s: %g with nothing seen, want 1", task.pass, got)
		}
	}
	tasks[0].part, tasks[0].seen, tasks[0].sure, tasks[0].done = 1, 1, 1, done{seconds: 120, times: 1}
	s := speedsOf(tasks, 100)
	own, kin, other := s.of(&tasks[0]), s.of(&tasks[1]), s.of(&tasks[2])
	if own < 2.8 || own > 3.01 || kin > own || other > kin || other < 2.3 {
		t.Errorf("after a pass of three times its seconds: %g, its kind %g, another %g", own, kin, other)
	}
	before := 1.0
	for _, part := range []float64{0.01, 0.1, 0.3, 0.6, 1} {
		tasks[3].part, tasks[3].seen, tasks[3].sure, tasks[3].done = part, part, part, done{seconds: 10 * part, times: part}
		if got := math.Abs(math.Log(speedsOf(tasks, 100).of(&tasks[3]))); got > 1.2*before && part > 0.01 {
			t.Errorf("with %g of a pass at the plan's speed: %g off", part, got)
		} else {
			before = got
		}
	}
	if before > 0.35 {
		t.Errorf("%g off after all of the pass", before)
	}
}

// TestSpeedsOfAMachine: where speeds differ by half of the deviations here, the factor told for a pass before it
// begins is within 1.5 of the truth in most cases, and after its end in nearly all.
func TestSpeedsOfAMachine(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 39))
	near := map[bool]int{}
	const times = 400
	for range times {
		machine := machineDiffers * rng.NormFloat64()
		var tasks []task
		var truth []float64
		for k := comparing; k <= sealing; k++ {
			ofKind := machine + 0.5*kindDiffers*rng.NormFloat64()
			for range 2 {
				factor := ofKind + 0.5*passDiffers*rng.NormFloat64()
				truth = append(truth, math.Exp(factor))
				tasks = append(tasks, task{pass: string(rune('a' + len(tasks))), kind: k, planned: 10, part: 1, seen: 1, sure: 1, done: done{seconds: 10 * math.Exp(factor), times: 1}})
			}
		}
		for _, seen := range []bool{false, true} {
			at := rng.IntN(len(tasks))
			under := append([]task(nil), tasks...)
			if !seen {
				under[at].part, under[at].seen, under[at].sure, under[at].done = 0, 0, 0, done{}
			}
			if got := speedsOf(under, 100).of(&under[at]) / truth[at]; got < 1.5 && got > 1/1.5 {
				near[seen]++
			}
		}
	}
	if near[false] < times*8/10 || near[true] < times*99/100 {
		t.Errorf("of %d near the truth: %d before they begin, %d after", times, near[false], near[true])
	}
}

// TestLuck: a build that finds more takes no more stages, before the first and after any, and no build of many rows
// to a high recall is told fewer than two divisions before it has found something.
func TestLuck(t *testing.T) {
	for _, intrinsic := range []float64{2, 10, 20, 40} {
		a := Aim{Recall: 0.95, Switch: 0.875, Rows: 2_000_000, Intrinsic: intrinsic, Overlap: 4, LeafSize: 1000, Most: 64}
		for _, recall := range []float64{0.3, 0.6, 0.8, 0.9, 0.95} {
			var before [2]float64
			for i, luck := range []float64{-1, 0, 1} {
				a.Luck = luck
				stand := Stand{Leaves: 4, Recall: recall, First: recall, Wanted: 0.96}
				parts, _ := a.Ahead(Groups, stand)
				leaves, rounds := a.Ahead(Balls, stand)
				now := [2]float64{float64(parts), float64(leaves) + rounds}
				if i > 0 && (now[0] > before[0] || now[1] > before[1]+1) {
					t.Errorf("dimension %g, recall %g: %v with luck %g, %v with less", intrinsic, recall, now, luck, before)
				}
				before = now
				if l, _ := a.Balls(); l < 8 || a.Parts(1000) < 8 {
					t.Errorf("dimension %g, luck %g: %d leaves by balls, %d by parts", intrinsic, luck, l, a.Parts(1000))
				}
			}
		}
	}
}
