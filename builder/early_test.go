package builder_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
)

// TestCrashEarly lets the power fail before and after each sync and rename of builds that put
// their syncs off: to their end, or until somewhere in the middle. Whatever is on the
// disk then, a build that goes on there makes the graph of one that was left alone.
func TestCrashEarly(t *testing.T) {
	const n, dim = 200, 4
	data := clustered(11, n, dim)
	rng := seeded(t)
	for name, early := range map[string]time.Duration{"exact": time.Hour, "balls": 4 * time.Millisecond} {
		o := smallBuilds[name]
		dir := filepath.Join(t.TempDir(), "g")
		m := newMirror(t, dir)
		var after []crashed
		m.crash = func(op, path string) {
			if early < time.Hour && rng.IntN(16) > 0 {
				return
			}
			for _, percent := range []int{0, 50, 100} {
				after = append(after, crashed{op + " of " + strings.TrimPrefix(path, dir), percent, m.after(percent, rng)})
			}
		}
		want, _ := build(t, dir, input(t, data, dim), o.On(m).Early(early))
		for _, c := range after {
			again := filepath.Join(t.TempDir(), "g")
			copyOut(t, c.fs, dir, again)
			goesOn(t, name+": crash "+c.String(), again, data, dim, o, want.Checksum)
			os.RemoveAll(again)
		}
		t.Logf("%s: %d crashes", name, len(after))
	}
}

// TestCancelledEarly: what an early build had done when it was stopped is there when it goes
// on, although nothing was synced until then.
func TestCancelledEarly(t *testing.T) {
	const n, dim = 500, 4
	data, dir := clustered(12, n, dim), filepath.Join(t.TempDir(), "g")
	ctx, cancel := context.WithCancel(t.Context())
	o := smallBuilds["balls"]
	stopping := o
	stopping.Progress = func(e builder.Event) {
		if strings.HasPrefix(e.Phase, "propagation") {
			cancel()
		}
	}
	if _, err := builder.Build(ctx, dir, input(t, data, dim), stopping); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "graph.early")); err == nil {
		t.Error("the mark is there after the draft was closed")
	}
	if _, err := store.ProgressOf(dir); err != nil {
		t.Error(err)
	}
	got, err := builder.Build(t.Context(), dir, input(t, data, dim), o)
	if err != nil || got.Resumed != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
