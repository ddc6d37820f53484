package plan

import (
	"testing"
	"time"

	"github.com/knng/knng/builder/progress"
)

// TestLeft: of builds that go as planned, at a third of the planned speed or five times as fast,
// what is left is known from a tenth on within a half, whatever the phase, before and after an
// interruption. A plan that is made while others have the machine is that much too long.
func TestLeft(t *testing.T) {
	for _, slow := range []float64{3, 0.2} {
		leftAt(t, slow, false)
		leftAt(t, slow, true)
	}
}

// leftAt takes the passes slow times as long as planned, the recall before the lists are written or after.
func leftAt(t *testing.T, slow float64, early bool) {
	p := &Plan{Seconds: 100, Passes: []Pass{
		{Name: "audit", Times: 1, Seconds: 2}, {Name: "order", Times: 1, Seconds: 8}, {Name: "controls", Times: 1, Seconds: 4},
		{Name: "divisions", Times: 3, Seconds: 60}, {Name: "propagation", Times: 0.6, Seconds: 10}, {Name: "fold", Times: 2, Seconds: 4},
		{Name: "adjacency", Times: 1, Seconds: 6}, {Name: "seal", Times: 1, Seconds: 6}}}
	phases := []struct {
		name    string
		seconds float64
		counted bool
	}{{"audit", 2, true}, {"order", 8, true}, {"controls", 2, true}, {"division 1", 20, true}, {"fold", 2, true}, {"division 2", 20, true}, {"fold", 2, true},
		{"division 3: carve", 5, true}, {"division 3", 15, true}, {"propagation 1", 10, true}, {"adjacency", 6, true}, {"recall", 2, true}, {"checksum", 3, false}, {"seal", 3, false}}
	if early {
		phases[10], phases[11] = phases[11], phases[10]
	}
	for _, interrupted := range []bool{false, true} {
		w := progress.NewWhole(nil, nil)
		w.Expect(p.Left)
		past, share := 0.0, 0.0
		var spent []progress.PhaseSeconds
		for _, phase := range phases {
			for step := range 11 {
				e := progress.Event{Phase: phase.name, Total: 100, Done: int64(10 * step), Elapsed: time.Duration(slow * phase.seconds * float64(step) / 10 * 1e9)}
				if !phase.counted {
					e.Total, e.Done = 0, 0
				}
				w.See(&e)
				want := slow*100 - past - e.Elapsed.Seconds()
				got := e.Left.Seconds()
				if share > e.Share || e.Share > 1 || e.Share == 0 && past > 0 {
					t.Fatalf("%s, step %d: share %g after %g", phase.name, step, e.Share, share)
				}
				share = e.Share
				if done := past + e.Elapsed.Seconds(); done > slow*10 && want > slow*3 && (got > 1.5*want || got < want/1.5) {
					t.Errorf("%g times as long, interrupted %v, %s, step %d: %.1f s left, want %.1f", slow, interrupted, phase.name, step, got, want)
				}
			}
			past += slow * phase.seconds
			end := progress.Event{Phase: phase.name, Elapsed: time.Duration(slow * phase.seconds * 1e9), End: true}
			w.See(&end)
			spent = append(spent, progress.PhaseSeconds{Name: phase.name, Seconds: slow * phase.seconds})
			if interrupted {
				w, share = progress.NewWhole(spent, nil), 0
				w.Expect(p.Left)
			}
		}
	}
	if _, known := new(Plan).Left(progress.Course{}); known {
		t.Error("a plan without times knows what is left")
	}
	if left, known := p.Left(progress.Course{}); !known || left != p.Seconds {
		t.Errorf("before anything is done %g s are left, want the plan's %g", left, p.Seconds)
	}
}

// TestMoreFoldsThanPlanned: four folds of a second each where one was planned are four times one, and
// no pass to come takes longer for it.
func TestMoreFoldsThanPlanned(t *testing.T) {
	p := &Plan{Seconds: 30, Passes: []Pass{{Name: "divisions", Times: 2, Seconds: 20}, {Name: "fold", Times: 1, Seconds: 1}, {Name: "adjacency", Times: 1, Seconds: 9}}}
	w := progress.NewWhole(nil, nil)
	w.Expect(p.Left)
	var e progress.Event
	for _, phase := range []struct {
		name    string
		seconds float64
	}{{"fold", 1}, {"division 1", 10}, {"fold", 1}, {"fold", 1}, {"division 2", 10}, {"fold", 1}} {
		e = progress.Event{Phase: phase.name, Elapsed: time.Duration(phase.seconds * 1e9), End: true}
		w.See(&e)
	}
	if left := e.Left.Seconds(); left < 8.5 || left > 9.5 {
		t.Errorf("%g s left, want about 9", left)
	}
}

// TestLeftAfterAKill: where an earlier run did a part of a division, the time of this run is that of its own part
// alone.
func TestLeftAfterAKill(t *testing.T) {
	p := &Plan{Seconds: 110, Passes: []Pass{{Name: "divisions", Times: 1, Seconds: 100}, {Name: "adjacency", Times: 1, Seconds: 10}}}
	w := progress.NewWhole(nil, nil)
	w.Expect(p.Left)
	for done := int64(60); done < 100; done++ {
		e := progress.Event{Phase: "division 1", Done: done, Earlier: 60, Total: 100, Elapsed: time.Duration(done-60) * 3 * time.Second} // at a third of the planned speed
		w.See(&e)
		if want := 3 * float64(110-done); done > 75 && (e.Left.Seconds() > 1.5*want || e.Left.Seconds() < want/1.5) {
			t.Errorf("after %d of 100: %v left, want %g s", done, e.Left, want)
		}
	}
}
