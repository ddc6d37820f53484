package builder

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/vectors"
)

// TestPartsKeepLeaves: a build in parts that is interrupted among its groups goes on with the leaves that
// it had, ends with the same graph, and leaves nothing of them behind.
func TestPartsKeepLeaves(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	data := make([]byte, 6000*24)
	for i := range data {
		data[i] = byte(rng.IntN(256))
	}
	rows, err := vectors.RowsOf(data, 6000, 24, 24, vectors.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	build := func(ctx context.Context, dir string, progress func(Event)) (*Result, error) {
		return Build(ctx, dir, vectors.NewInput(rows), Options{K: 8, Method: Parts, Divisions: 8, Memory: 60 << 20, Progress: progress})
	}
	want, err := build(t.Context(), filepath.Join(t.TempDir(), "g"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"leaders 1", "division 1", "leaders 2", "division 2"} {
		dir := filepath.Join(t.TempDir(), "g")
		ctx, cancel := context.WithCancel(t.Context())
		_, err := build(ctx, dir, func(e Event) {
			if e.Phase == at {
				cancel()
			}
		})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted in %s: %v", at, err)
		}
		leaves := filepath.Join(dir, "scratch", job.LeavesFile)
		if _, err := os.Stat(leaves); err != nil && at[0] == 'd' {
			t.Errorf("interrupted in %s: %v", at, err)
		}
		got, err := build(t.Context(), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Checksum != want.Checksum || got.Resumed != 1 {
			t.Errorf("interrupted in %s: another graph, after %d resumptions", at, got.Resumed)
		}
		if _, err := os.Stat(leaves); err == nil {
			t.Errorf("interrupted in %s: the leaves are still there", at)
		}
	}
}
