package builder_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestChangedInput: a graph, finished or not, is never taken for that of other rows, however
// few differ and wherever; a new modification time alone is no difference.
func TestChangedInput(t *testing.T) {
	const n, dim = 20000, 32 // 2.5 MB, of which 256 KB are in the manifest's sample
	data := clustered(21, n, dim)
	path, ctx := filepath.Join(t.TempDir(), "rows.fvecs"), context.Background()
	later := time.Now()
	// put writes the rows, as if a minute after the last time.
	put := func(data []float32) {
		write(t, path, data, dim)
		later = later.Add(time.Minute)
		if err := os.Chtimes(path, later, later); err != nil {
			t.Fatal(err)
		}
	}
	put(data)
	o := builder.Options{K: 3, Method: builder.Balls, Divisions: 4, Rounds: 1}
	dir, half := filepath.Join(t.TempDir(), "g"), filepath.Join(t.TempDir(), "half")
	memory := filepath.Join(t.TempDir(), "memory")
	want, _ := build(t, dir, opened(t, path), o)
	build(t, memory, input(t, data, dim), o)
	stopped, stop := context.WithCancel(ctx)
	o.Progress = func(e builder.Event) {
		if e.Phase == "order" {
			stop()
		}
	}
	if _, err := builder.Build(stopped, half, opened(t, path), o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	o.Progress = nil

	put(data)
	again, err := builder.Build(ctx, dir, opened(t, path), o)
	if !errors.Is(err, store.ErrFinished) || again.Checksum != want.Checksum {
		t.Errorf("written again: %v, want that it is finished", err)
	}
	changed := slices.Clone(data)
	changed[n*dim*3/7]++
	put(changed)
	sealing := filepath.Join(t.TempDir(), "sealing") // killed while it was sealed
	if err := errors.Join(os.CopyFS(sealing, os.DirFS(dir)), os.Remove(filepath.Join(sealing, "SEAL"))); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"finished": dir, "begun": half, "sealing": sealing} {
		if _, err := builder.Build(ctx, dir, opened(t, path), o); !errors.Is(err, store.ErrMismatch) {
			t.Errorf("%s, one element changed: %v, want a mismatch", name, err)
		}
	}
	if _, err := builder.Build(ctx, memory, input(t, changed, dim), o); !errors.Is(err, store.ErrMismatch) {
		t.Errorf("in memory, one element changed: %v, want a mismatch", err)
	}
	put(data)
	if got, err := builder.Build(ctx, half, opened(t, path), o); err != nil || got.Checksum != want.Checksum {
		t.Errorf("going on with the rows as they were: %v, %v", got, err)
	}
}

// TestChangedIDs: other ids are another store.
func TestChangedIDs(t *testing.T) {
	dir := t.TempDir()
	ids, data := filepath.Join(dir, "ids"), []float32{1, 2, 4}
	o := builder.Options{K: 1, IDs: ids}
	for i, text := range []string{"a\nb\nc\n", "a\nb\nc\n", "a\nb\nd\n"} {
		if err := os.WriteFile(ids, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := builder.Build(context.Background(), filepath.Join(dir, "g"), input(t, data, 1), o)
		if want := []error{nil, store.ErrFinished, store.ErrMismatch}[i]; !errors.Is(err, want) {
			t.Errorf("build %d: %v, want %v", i, err, want)
		}
	}
}

// TestStopOwnDistance: a distance of the user's own, which may take any time, is not
// called once more for each goroutine after a build is told to stop, and the error says
// that it was, and why.
func TestStopOwnDistance(t *testing.T) {
	data, why := clustered(22, 600, 3), errors.New("enough")
	for _, m := range []builder.Method{builder.Exact, builder.Paper} {
		ctx, stop := context.WithCancelCause(context.Background())
		var calls, after atomic.Int64
		o := builder.Options{K: 5, Method: m, Threads: 2, Distance: &builder.Distance{Name: "d", Version: 1, Key: func(a, b store.Row) (float32, error) {
			if ctx.Err() != nil {
				after.Add(1)
			}
			if calls.Add(1) == 1500 {
				stop(why)
			}
			return float32(math.Abs(float64(data[3*a] - data[3*b]))), nil
		}}}
		_, err := builder.Build(ctx, filepath.Join(t.TempDir(), "g"), input(t, data, 3), o)
		if !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
			t.Errorf("%s: %v, want that it was canceled, and why", m, err)
		}
		if after.Load() > 2 {
			t.Errorf("%s: %d calls after the end", m, after.Load())
		}
	}
}

// TestExactOfVanishingKeys: rows so near each other that their keys are 0 tie like any
// others, though they are not equal. Most rows are ordinary, so none is scaled.
func TestExactOfVanishingKeys(t *testing.T) {
	rng := seeded(t)
	const n, dim, k = 600, 4, 5
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = float32(rng.NormFloat64())
		if i < len(data)/3 {
			data[i] *= 1e-24
		}
	}
	_, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), builder.Options{K: k, Method: builder.Exact, LeafSize: 20})
	for row, want := range bruteForce(t, data, dim, k, distance.Euclidean) {
		if !slices.Equal(lists[row], want) {
			t.Fatalf("row %d: %v, want %v", row, lists[row], want)
		}
	}
}

// TestChangedFunction: a function that gives other elements each time that a row is read is told from one that keeps to its rule,
// also where rows have negative zeros, and makes no graph.
func TestChangedFunction(t *testing.T) {
	const n = 500
	for _, method := range []builder.Method{builder.Exact, builder.Balls, builder.Parts} {
		for _, breaks := range []bool{false, true} {
			var audited atomic.Bool
			rows, err := vectors.FromFunc(n, 2, func(i int, row []float32) error {
				row[0], row[1] = float32(i*i%97), float32(math.Copysign(0, -1))
				if breaks && i == 300 && audited.Load() {
					row[0]++
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "g")
			_, err = builder.Build(context.Background(), dir, vectors.NewInput(rows), builder.Options{K: 3, Method: method, Progress: func(e builder.Event) {
				if e.Phase == "audit" && e.End {
					audited.Store(true)
				}
			}})
			if breaks != errors.Is(err, store.ErrMismatch) || !breaks && err != nil {
				t.Errorf("%v, other elements %v: %v", method, breaks, err)
			}
			if breaks {
				if _, err := store.Open(dir, nil); err == nil {
					t.Errorf("%v: there is a graph of other rows than were audited", method)
				}
			}
		}
	}
}
