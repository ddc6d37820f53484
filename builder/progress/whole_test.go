package progress_test

import (
	"math"
	"testing"
	"time"

	"github.com/knng/knng/builder/progress"
)

// TestThen: of 100 s of a build and a quarter of that after it, share and time left are of 125 s
// at every moment, and the build ends with that quarter left.
func TestThen(t *testing.T) {
	const all, then = 100.0, 0.25
	w := progress.NewWhole(nil, nil)
	w.Then(then)
	w.Expect(func(c progress.Course) (float64, bool) { return all - c.Now.Elapsed.Seconds(), true })
	for at := 0.0; at <= all; at += 5 {
		e := progress.Event{Phase: "solve", Total: 100, Done: int64(at), Elapsed: time.Duration(at * 1e9), End: at == all}
		w.See(&e)
		left := (1+then)*all - at
		if math.Abs(e.Left.Seconds()-left) > 1e-6 || math.Abs(e.Share-at/((1+then)*all)) > 1e-9 {
			t.Errorf("at %g s: share %g, %v left, want %g and %g s", at, e.Share, e.Left, at/((1+then)*all), left)
		}
	}
}

// TestOpenPhases: a phase within another hides neither its progress nor its time.
func TestOpenPhases(t *testing.T) {
	w := progress.NewWhole(nil, nil)
	var course progress.Course
	w.Expect(func(c progress.Course) (float64, bool) { course = c; return 10, true })
	see := func(e progress.Event) progress.Event { w.See(&e); return e }
	see(progress.Event{Phase: "division 1", Total: 10, Done: 5, Elapsed: 8 * time.Second})
	e := see(progress.Event{Phase: "fold", Total: 10, Elapsed: 2 * time.Second})
	if course.Open["division 1"] != 8 || course.Parts["division 1"] != 0.5 || math.Abs(e.Share-0.5) > 1e-9 {
		t.Errorf("during the fold: %v, %v, share %g, want 8 s, a half, and 10 of 20 s", course.Open, course.Parts, e.Share)
	}
	see(progress.Event{Phase: "fold", Elapsed: 2 * time.Second, End: true})
	see(progress.Event{Phase: "division 1", Elapsed: 10 * time.Second, End: true})
	if len(course.Open) != 0 {
		t.Errorf("at the end these are open: %v", course.Open)
	}
}
