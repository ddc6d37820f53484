package builder_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// TestTold: a running build tells how far it is without its lock, nothing stays behind, and
// the share told of events never falls.
func TestTold(t *testing.T) {
	const n, dim = 3000, 8
	rows, err := vectors.FromFloat32(clustered(7, n, dim), dim)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "g")
	var told builder.Told
	share, waited := 0.0, false
	opts := builder.Options{K: 5, Method: builder.Paper, Divisions: 3, LeafSize: 60, Progress: func(e builder.Event) {
		if e.Message == "" && e.Phase != "" && (e.Share < share || e.Share > 1 || e.Left < 0) {
			t.Errorf("%s: share %g after %g, %v left", e.Phase, e.Share, share, e.Left)
		}
		share = max(share, e.Share)
		if e.Phase != "division 2" || waited {
			return
		}
		waited = true
		for range 100 { // it is told once a second
			time.Sleep(50 * time.Millisecond)
			text, _, err := store.Told(dir)
			if err == nil && json.Unmarshal(text, &told) == nil {
				return
			}
		}
	}}
	if _, err := builder.Build(context.Background(), dir, vectors.NewInput(rows), opts); err != nil {
		t.Fatal(err)
	}
	if told.Phase != "division 2" && told.Phase != "division 1" && told.Phase != "division 2: carve" || told.Share <= 0 || told.Memory <= 0 || told.Seconds <= 0 {
		t.Errorf("told %+v", told)
	}
	if _, _, err := store.Told(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the build: %v", err)
	}
	if share == 0 {
		t.Error("no event has a share")
	}
}

// toldIn is the report of the build in a folder.
func toldIn(dir string) (told builder.Told, err error) {
	text, _, err := store.Told(dir)
	if err == nil {
		err = json.Unmarshal(text, &told)
	}
	return told, err
}

// TestToldGoesOn: a build that was stopped tells the share of its work that is kept, and goes on from there.
func TestToldGoesOn(t *testing.T) {
	const n, dim = 3000, 8
	rows, err := vectors.FromFloat32(clustered(7, n, dim), dim)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "g")
	ctx, stop := context.WithCancel(context.Background())
	opts := builder.Options{K: 5, Method: builder.Paper, Divisions: 3, LeafSize: 60, Progress: func(e builder.Event) {
		if e.Phase == "division 3" {
			stop()
		}
	}}
	if _, err := builder.Build(ctx, dir, vectors.NewInput(rows), opts); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: %v", err)
	}
	told, err := toldIn(dir)
	if err != nil || told.Kept <= 0 || told.Kept > told.Share || told.Seconds <= 0 {
		t.Fatalf("told %+v, %v", told, err)
	}
	share, began, looked := told.Kept, time.Now(), false
	opts.Progress = func(e builder.Event) {
		if !looked { // its first event: the report is no longer that of the run that was stopped
			looked = true
			if now, err := toldIn(dir); err != nil ||
				now.Time.Before(began) || now.Share != share || now.Seconds < told.Seconds || now.Memory <= 0 {
				t.Errorf("at its head it tells %+v after %+v, %v", now, told, err)
			}
		}
		if e.Phase != "" && e.Share < share {
			t.Errorf("%s: share %g after %g", e.Phase, e.Share, share)
		}
		share = max(share, e.Share)
	}
	res, err := builder.Build(context.Background(), dir, vectors.NewInput(rows), opts)
	if err != nil || res.Seconds < told.Seconds {
		t.Errorf("%v seconds in all, %v before: %v", res.Seconds, told.Seconds, err)
	}
	if _, _, err := store.Told(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the build: %v", err)
	}
}

// TestToldIsKept: of work that is in memory alone no share is kept, however often the build goes on, and every run counts.
func TestToldIsKept(t *testing.T) {
	const n, dim, stops = 3000, 8, 3
	rows, err := vectors.FromFloat32(clustered(7, n, dim), dim)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "g")
	opts := builder.Options{K: 5, Method: builder.Balls, Divisions: 3}
	first := 0.0
	for i := range stops {
		ctx, stop := context.WithCancel(t.Context())
		opts.Progress = func(e builder.Event) {
			if strings.HasPrefix(e.Message, "division 1") {
				stop()
			}
		}
		if _, err := builder.Build(ctx, dir, vectors.NewInput(rows), opts); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped: %v", err)
		}
		told, err := toldIn(dir)
		if i == 0 {
			first = told.Kept
		}
		if err != nil || told.Share <= told.Kept || told.Kept > first+0.1 {
			t.Errorf("run %d told %+v, and the first kept %g; error %v", i, told, first, err)
		}
	}
	opts.Progress = nil
	result, err := builder.Build(t.Context(), dir, vectors.NewInput(rows), opts)
	if err != nil || result.Resumed != stops {
		t.Errorf("resumed %d times, want %d; error %v", result.Resumed, stops, err)
	}
}
