package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// TestLinked: of a build of 100 s by a plan that is right, and links of a tenth to a fifth of
// that, the time left is told within a factor of 1.5 up to the last twentieth, and the share
// never falls.
func TestLinked(t *testing.T) {
	for _, links := range []float64{10, 14, 20} {
		const build, linksShare = 100.0, 0.14
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
			whole := (1 + linksShare) * build // as builder.Options.Then has it
			l.built(builder.Event{Phase: "division 1", Share: at / whole, Left: time.Duration((whole - at) * 1e9)})
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

// TestLinksAreTold: while links are made of a finished store, knng info says how far they are,
// with the share of build and links; afterwards nothing of it is left.
func TestLinksAreTold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g")
	rows, err := vectors.FromFloat32(make([]float32, 20), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := builder.Build(t.Context(), dir, vectors.NewInput(rows), builder.Options{K: 2}); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l := &linked{share: 0.8}
	l.linking(builder.Event{Phase: "links", Unit: "rows", Done: 5, Total: 20, Elapsed: time.Second})
	stop := l.publish(s)
	info := func(json bool) string {
		var out strings.Builder
		if err := runInfo(t.Context(), &globals{stdout: &out, stderr: io.Discard, json: json}, dir, ""); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for deadline := time.Now().Add(10 * time.Second); linksInfo(dir) == nil && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	if got, want := info(false), "its links are being made: 5 of 20 rows; 85 % of build and links done, 3.00 s left"; !strings.Contains(got, want) {
		t.Errorf("info says %q, want %q in it", got, want)
	}
	if got := info(true); !strings.Contains(got, `"left_seconds": 3`) {
		t.Errorf("info --json says %s", got)
	}
	stop()
	if got := info(false); strings.Contains(got, "being made") {
		t.Errorf("afterwards info says %q", got)
	}
}
