package progress_test

import (
	"math"
	"testing"
	"time"

	"github.com/knng/knng/builder/progress"
)

// TestShare: of a build of 100 s whose estimate is right, is half or twice the truth, or is found wrong by
// some times midway, the share never falls, is never at 1 before the end, and moves on all the time;
// it ends at 1. Where the estimate is right the share is that of the time.
func TestShare(t *testing.T) {
	const all = 100.0
	for name, estimate := range map[string]func(at float64) float64{
		"right":                  func(at float64) float64 { return all - at },
		"half":                   func(at float64) float64 { return (all - at) / 2 },
		"twice":                  func(at float64) float64 { return 2 * (all - at) },
		"five times, then right": func(at float64) float64 { return map[bool]float64{true: 5, false: 1}[at < 50] * (all - at) },
		"a fifth, then right":    func(at float64) float64 { return map[bool]float64{true: 0.2, false: 1}[at < 50] * (all - at) },
	} {
		w := progress.NewWhole(nil, nil)
		at := 0.0
		w.Expect(func(progress.Course) (float64, bool) { return estimate(at), true })
		share := -1.0
		for ; at <= all; at++ {
			e := progress.Event{Phase: "solve", Total: 100, Done: int64(at), Elapsed: time.Duration(at * 1e9), End: at == all}
			w.See(&e)
			if e.Share <= share || e.Share >= 1 && at < all || at == all && e.Share != 1 {
				t.Errorf("%s: share %g after %g at %g s", name, e.Share, share, at)
			}
			if name == "right" && math.Abs(e.Share-at/all) > 1e-6 {
				t.Errorf("share %g at %g s of %g", e.Share, at, all)
			}
			share = e.Share
		}
	}
}

// TestTimeLeftIsSteady: an estimate that swings within a phase does not swing the time told as much;
// the end of a phase is told at once.
func TestTimeLeftIsSteady(t *testing.T) {
	w := progress.NewWhole(nil, nil)
	left, factor := 0.0, 1.0
	w.Expect(func(progress.Course) (float64, bool) { return factor * left, true })
	var before float64
	for at := 0.0; at < 50; at += 0.1 {
		left = 100 - at
		factor = 1 + 0.4*float64(int(10*at)%2)
		e := progress.Event{Phase: "solve", Elapsed: time.Duration(at * 1e9)}
		w.See(&e)
		if now := e.Left.Seconds(); before > 0 && (now > 1.02*before || now < 0.95*before) {
			t.Fatalf("%g s left after %g", now, before)
		}
		before = e.Left.Seconds()
	}
	left, factor = 50, 2
	e := progress.Event{Phase: "solve", Elapsed: 50e9, End: true}
	if w.See(&e); math.Abs(e.Left.Seconds()-100) > 1e-6 {
		t.Errorf("%v left at the end of a phase, want 100 s", e.Left)
	}
}

// TestPhaseGoesOn: a phase in several stages has come no less far at the beginning of one than at the end of
// the one before; a phase that was done begins anew.
func TestPhaseGoesOn(t *testing.T) {
	w := progress.NewWhole(nil, nil)
	var course progress.Course
	w.Expect(func(c progress.Course) (float64, bool) { course = c; return 10, true })
	for _, c := range []struct {
		done int64
		end  bool
		want float64
	}{{0, false, 0}, {8, false, 0.5}, {8, true, 0.5}, {0, false, 0.5}, {1, false, 0.5}, {12, false, 0.75}, {16, true, 1}, {0, false, 0}, {4, false, 0.25}} {
		w.See(&progress.Event{Phase: "exact", Done: c.done, Total: 16, End: c.end})
		if got := course.Parts["exact"]; got != c.want {
			t.Errorf("%d of 16, end %v: %g, want %g", c.done, c.end, got, c.want)
		}
	}
}

// TestOpenPhases: a phase within another hides neither its progress nor its time.
func TestOpenPhases(t *testing.T) {
	w := progress.NewWhole(nil, nil)
	var course progress.Course
	w.Expect(func(c progress.Course) (float64, bool) {
		course = c
		return 20 - c.Open["division 1"] - c.Open["fold"], true
	})
	see := func(e progress.Event) progress.Event { w.See(&e); return e }
	see(progress.Event{Phase: "division 1", Total: 10, Done: 5, Elapsed: 8 * time.Second})
	e := see(progress.Event{Phase: "fold", Total: 10, Elapsed: 2 * time.Second})
	if course.Open["division 1"] != 8 || course.Parts["division 1"] != 0.5 || math.Abs(e.Share-0.5) > 1e-9 {
		t.Errorf("during the fold: %v, %v, share %g, want 8 s, a half, and 10 of 20 s", course.Open, course.Parts, e.Share)
	}
	see(progress.Event{Phase: "fold", Elapsed: 2 * time.Second, End: true})
	see(progress.Event{Phase: "division 1", Elapsed: 10 * time.Second, End: true})
	if len(course.Open) != 0 || course.Ends["fold"] != 1 {
		t.Errorf("at the end these are open: %v; ended have %v", course.Open, course.Ends)
	}
	for _, p := range course.Spent {
		if want := map[string]float64{"division 1": 8, "fold": 2}[p.Name]; p.Seconds != want {
			t.Errorf("%s took %g s, want %g: a fold is no part of a division", p.Name, p.Seconds, want)
		}
	}
}

// TestPhaseExpects: a phase whose total turns out smaller tells of all of it when that is done.
func TestPhaseExpects(t *testing.T) {
	var last progress.Event
	p := progress.Reporter{Tell: func(e progress.Event) { last = e }}.Begin("division 1", "rows", 16)
	p.Add(4)
	p.Expect(12)
	p.Add(8)
	p.End("")
	if last.Done != 12 || last.Total != 12 {
		t.Errorf("%d of %d rows, want 12 of 12", last.Done, last.Total)
	}
}
