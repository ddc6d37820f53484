package main

import (
	"testing"
	"time"

	"github.com/knng/knng/builder"
)

// TestLinked: of a build of 100 s by a plan that is right, and links of a tenth to a fifth of
// that, the time left is told within a factor of 1.5 up to the last twentieth, and the share
// never falls.
func TestLinked(t *testing.T) {
	for _, links := range []float64{10, 14, 20} {
		const build = 100.0
		var told builder.Event
		share, all := 0.0, build+links
		l := &linked{show: func(e builder.Event) {
			told = e
			if e.Share < share || e.Share > 1 {
				t.Errorf("links of %g s: share %g after %g", links, e.Share, share)
			}
			share = e.Share
		}}
		holds := func(at float64) {
			left, truth := told.Left.Seconds(), all-at
			if truth > all/20 && (left > 1.5*truth || left < truth/1.5) {
				t.Errorf("links of %g s: at %g s %.1f s left, want %.1f", links, at, left, truth)
			}
		}
		for at := 10.0; at <= build; at += 5 {
			l.built(builder.Event{Phase: "division 1", Share: at / build, Left: time.Duration((build - at) * 1e9)})
			holds(at)
		}
		for at := 0.0; at <= links; at++ {
			l.linking(builder.Event{Phase: "links", Done: int64(1000 * at), Total: int64(1000 * links), Elapsed: time.Duration(at * 1e9)})
			holds(build + at)
		}
		if told.Share != 1 || told.Left != 0 {
			t.Errorf("at the end: share %g, %v left", told.Share, told.Left)
		}
	}
}
