package builder

import (
	"errors"
	"testing"

	"github.com/knng/knng/builder/internal/balls"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// TestNextBalls: divisions come until joins take over, a division that would reach the
// target gives way to parts of a round, and more than one is asked for where a round
// gains too little.
func TestNextBalls(t *testing.T) {
	const margin = 0.004
	for _, c := range []struct {
		what   string
		target float64
		stages []job.Stage
		want   string
	}{
		{"nothing done", 0.95, nil, job.DivisionStage},
		{"far off", 0.95, []job.Stage{divided(0.55)}, job.DivisionStage},
		{"joins take over", 0.95, []job.Stage{divided(0.55), divided(0.91)}, job.PropagationStage},
		{"the next division would overshoot", 0.95, []job.Stage{divided(0.887)}, job.PropagationStage},
		{"the third would not yet", 0.95, []job.Stage{divided(0.772), divided(0.850)}, job.DivisionStage},
		{"reached, but for two standard errors", 0.95, []job.Stage{divided(0.957)}, job.PropagationStage},
		{"reached", 0.95, []job.Stage{divided(0.9585)}, ""},
		{"soon there", 0.99, []job.Stage{divided(0.95), joined(0.99)}, job.PropagationStage},
		{"rounds gain too little", 0.99, []job.Stage{divided(0.9), joined(0.95), joined(0.96)}, job.DivisionStage},
	} {
		o := Options{Recall: c.target, K: 20}
		o = o.WithDefaults()
		r := runOver(t, o)
		r.State = job.State{Steer: 256, Plan: o.planned(), Stages: c.stages}
		for i := range r.State.Stages {
			r.State.Stages[i].Margin = margin
		}
		if kind, stop := balls.New(&r.Build, o.balls()).Next(); kind != c.want || (stop == "") != (c.want != "") {
			t.Errorf("%s: next is %q, stop %q, want %q", c.what, kind, stop, c.want)
		}
	}
}

// runOver returns a run over a few rows.
func runOver(t *testing.T, o Options) *run {
	t.Helper()
	rows, err := vectors.RowsOf(make([]byte, 64), 8, 8, 8, vectors.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	req, err := newRequest("", vectors.NewInput(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRun(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOtherSteering: a build whose recall was that of other rows does not go on as if it
// were that of these.
func TestOtherSteering(t *testing.T) {
	for _, m := range []Method{Balls, Parts} {
		r := runOver(t, Options{Recall: 0.95})
		r.K, r.State = 1, job.State{Steer: 40, Stages: []job.Stage{divided(0.6)}}
		r.Take(string(m))
		if err := r.controls.Steer(); !errors.Is(err, store.ErrMismatch) {
			t.Errorf("%s: %v, want a mismatch", m, err)
		}
	}
}

func divided(recall float64) job.Stage { return job.Stage{Kind: job.DivisionStage, Recall: recall} }
func joined(recall float64) job.Stage {
	return job.Stage{Kind: job.PropagationStage, Recall: recall, Requested: 1000}
}

// TestWanted: two standard errors more than the target, no more than halfway to 0.02 above
// it, and never more than all.
func TestWanted(t *testing.T) {
	for _, c := range []struct{ target, margin, want float64 }{{0.5, 0, 0.5}, {0.5, 0.125, 0.51}, {0.5, 0.00390625, 0.5078125}, {0.999, 1, 1}, {1, 0.1, 1}} {
		if got := (&job.Goal{Recall: c.target}).Wanted(c.margin); got != c.want {
			t.Errorf("target %v, margin %v: %v, want %v", c.target, c.margin, got, c.want)
		}
	}
}
