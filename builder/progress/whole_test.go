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
