package plan_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/progress"
)

// A timed phase of a build.
type timed struct {
	name    string
	seconds float64
}

// TestLeftOfMeasuredBuilds: with the phases of builds as they were measured, by processor
// time, on a machine faster or slower than planned for, the time left is known within a factor
// of 1.5 from a tenth on to the last eighth. The builds in parts ran on kernels of half the speed
// that Nominal has. A plan fails here that counts folds and leaders as comparisons, which take
// twice as long on these: folds did not.
func TestLeftOfMeasuredBuilds(t *testing.T) {
	parts := plan.Shape{ // of SIFT's first 150,000 rows, as the build had it
		Method: "parts", Kind: plan.Groups, Rows: 150_000, Outputs: 150_000, Dim: 128, RowBytes: 128, CodeBytes: 8, ViewCodes: true, KeyCodes: true,
		K: 20, LeafSize: 1000, Overlap: 4, Divisions: 12, Visits: 500, Recall: 0.9, Threads: 2,
		Parts: plan.Parts{GroupRows: 118_149, Leaders: 1549, Ledger: 12 << 30, Stripe: 4 << 20}}
	again := parts
	again.Recall, again.Divisions = 0.95, 16
	paper := shape("paper", 30_000)
	paper.Recall, paper.Divisions, paper.Visits = 0.9, 11, 500
	asPaper := []timed{{"audit", 0.02}, {"order", 0.05}, {"controls", 0.01}}
	for division := 1; division <= 11; division++ {
		seconds := 0.17
		if division == 1 {
			seconds = 0.32
		}
		asPaper = append(asPaper, timed{fmt.Sprintf("division %d: carve", division), 0.04}, timed{fmt.Sprintf("division %d", division), seconds})
	}
	asPaper = append(asPaper, timed{"propagation 1", 1.87}, timed{"adjacency", 0.03}, timed{"recall", 0.03}, timed{"checksum", 0.01}, timed{"seal", 0.03})
	for name, c := range map[string]struct {
		shape   plan.Shape
		kernels float64 // their speed, of Nominal's
		phases  []timed
	}{
		"parts": {parts, 0.5, []timed{{"audit", 0.03}, {"copy", 0.03}, {"controls", 0.12}, {"leaders 1", 0.3}, {"division 1", 1.7}, {"fold", 0.2},
			{"leaders 2", 0.3}, {"division 2", 1.07}, {"fold", 0.26}, {"leaders 3", 0.32}, {"division 3", 0.92}, {"recall", 0.12},
			{"adjacency", 0.27}, {"checksum", 0.11}, {"seal", 0.13}}},
		"parts, to a higher recall": {again, 0.5, []timed{{"audit", 0.05}, {"copy", 0.01}, {"controls", 0.11}, {"leaders 1", 0.32}, {"division 1", 1.61}, {"fold", 0.2},
			{"leaders 2", 0.32}, {"division 2", 0.97}, {"fold", 0.23}, {"leaders 3", 0.29}, {"division 3", 0.89}, {"fold", 0.24},
			{"leaders 4", 0.34}, {"division 4", 0.93}, {"recall", 0.11}, {"adjacency", 0.24}, {"checksum", 0.11}, {"seal", 0.07}}},
		"paper": {paper, 1, asPaper},
	} {
		for _, slow := range []float64{0.2, 10, 40} {
			rates := measuredOn(c.shape)
			rates.Leaf, rates.Tile, rates.Screen = c.kernels*rates.Leaf, c.kernels*rates.Tile, c.kernels*rates.Screen
			estimated(t, fmt.Sprintf("%s, %g times as long", name, slow), plan.Of(c.shape, rates), c.phases, slow)
		}
	}
}

// measuredOn returns the rates of the machine that the phases above were measured on.
func measuredOn(s plan.Shape) plan.Rates {
	d := float64(s.Dim)
	r := plan.Nominal(s, 1)
	r.Tile, r.Screen, r.Keys, r.Touched = 1e9/(2+d/90), 1e9/(0.8+d/250), 1e9/(30+d/5), 8e8
	r.Hashed, r.Read, r.Written = 1e9, 2e9, 8e8
	if s.Kind != plan.Leaves {
		r.Leaf = 1e9 / (1.6 + d/300)
	}
	return r
}

// estimated plays phases, each in twenty steps, and compares what is left with the truth.
func estimated(t *testing.T, name string, p *plan.Plan, phases []timed, slow float64) {
	all, past := 0.0, 0.0
	for _, phase := range phases {
		all += slow * phase.seconds
	}
	w := progress.NewWhole(nil, nil)
	w.Expect(p.Left)
	for _, phase := range phases {
		took := slow * phase.seconds
		for step := range 20 {
			e := progress.Event{Phase: phase.name, Total: 20, Done: int64(step), Elapsed: time.Duration(took * float64(step) / 20 * 1e9)}
			w.See(&e)
			done := past + e.Elapsed.Seconds()
			left, truth := e.Left.Seconds(), all-done
			if done > 0.1*all && truth > 0.125*all && (left > 1.5*truth || left < truth/1.5) {
				t.Errorf("%s: %s, %.0f %% of the time: %.1f s left, want %.1f", name, phase.name, 100*done/all, left, truth)
			}
		}
		past += took
		if phase.name == "division 1" { // which told as many more as were planned
			w.Expect(p.Left)
		}
		w.See(&progress.Event{Phase: phase.name, Elapsed: time.Duration(took * 1e9), End: true})
	}
}
