package builder_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

func TestBadRows(t *testing.T) {
	const n, dim, k = 400, 4, 5
	clean := clustered(4, n, dim)
	data := slices.Clone(clean)
	data[3*dim+1] = float32(math.NaN())
	data[77*dim] = float32(math.Inf(-1))
	for j := range dim {
		data[200*dim+j] = 0
	}
	bad := []int{3, 77, 200}
	o := builder.Options{K: k, Metric: distance.Cosine}

	_, err := builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
	if !errors.Is(err, builder.ErrBadRows) {
		t.Fatalf("error %v, want ErrBadRows", err)
	}
	t.Log(err)

	o.BadRows = builder.Drop
	var kept []float32
	for row := range n {
		if !slices.Contains(bad, row) {
			kept = append(kept, data[row*dim:(row+1)*dim]...)
		}
	}
	res, dropped := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
	if want := bruteForce(t, kept, dim, k, distance.Cosine); !slices.EqualFunc(dropped, want, slices.Equal) || res.BadRows != 3 {
		t.Error("drop: not the graph of the rows that remain")
	}

	o.BadRows = builder.Isolate
	_, isolated := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
	if len(isolated) != n {
		t.Fatalf("isolate: %d rows, want %d", len(isolated), n)
	}
	at := 0
	for row, list := range isolated {
		if slices.Contains(bad, row) {
			if len(list) != 0 {
				t.Errorf("isolated row %d has neighbors", row)
			}
			continue
		}
		if len(list) != k || list[0].key != dropped[at][0].key {
			t.Errorf("row %d: %v, want keys as in %v", row, list, dropped[at])
		}
		at++
	}
}

func TestAllRowsEqual(t *testing.T) {
	const n, dim, k = 2000, 8, 6
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = 3
	}
	for _, o := range []builder.Options{
		{K: k, Method: builder.Paper, LeafSize: 64, Paper: builder.PaperOptions{Visits: 50}, Divisions: 2, Rounds: 1},
		{K: k, Method: builder.Balls, LeafSize: 64},
		{K: k, Method: builder.Parts},
	} {
		res, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
		checkLists(t, lists, k)
		if res.Recall.Recall != 1 {
			t.Errorf("%s: recall %v, but every row is as near as any other", o.Method, res.Recall)
		}
	}
}

func TestListsLongerThanLeaves(t *testing.T) {
	const n, dim, k = 300, 5, 60
	data := clustered(6, n, dim)
	want := bruteForce(t, data, dim, k, distance.Euclidean)
	for _, m := range []builder.Method{builder.Paper, builder.Balls} {
		res, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim),
			builder.Options{K: k, Method: m, LeafSize: 20, Divisions: 1, Propagation: builder.Off})
		checkLists(t, lists, k)
		if res.Completed != n || !slices.EqualFunc(lists, want, slices.Equal) {
			t.Errorf("%s: %d rows completed, want all, and exactly", m, res.Completed)
		}
	}
}

// TestRemoteRows: the parts method makes leaves large enough for the lists, but rows
// far from all others may have one to themselves, if one of them leads. Their lists are
// completed.
func TestRemoteRows(t *testing.T) {
	const n, dim, k, remote = 300, 5, 15, 10
	data := clustered(6, n, dim)
	for i := range remote * dim {
		data[100*dim+i] += 500
	}
	want := bruteForce(t, data, dim, k, distance.Euclidean)
	exact := 0
	for seed := range uint64(20) {
		res, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim),
			builder.Options{K: k, Method: builder.Parts, Divisions: 1, Seed: seed + 1})
		checkLists(t, lists, k)
		if slices.EqualFunc(lists[100:100+remote], want[100:100+remote], slices.Equal) {
			exact++
			if res.Completed < remote {
				t.Errorf("seed %d: %d rows completed, want %d at least", seed+1, res.Completed, remote)
			}
		}
	}
	if exact == 0 {
		t.Error("none of the remote rows had a leaf to themselves")
	}
}

func TestMoreNeighborsThanRows(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		data := clustered(6, n, 3)
		for _, m := range []builder.Method{builder.Auto, builder.Exact, builder.Paper, builder.Balls, builder.Parts} {
			_, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, 3), builder.Options{K: 10, Method: m})
			checkLists(t, lists, 10)
		}
	}
}

func TestMemoryBelowTheMinimum(t *testing.T) {
	data := clustered(6, 500, 3)
	dir := filepath.Join(t.TempDir(), "g")
	o := builder.Options{K: 10, Memory: 1 << 20}
	if _, err := builder.Build(context.Background(), dir, input(t, data, 3), o); !errors.Is(err, builder.ErrMemory) {
		t.Fatalf("error %v, want ErrMemory", err)
	}
	o.Memory = 1 << 30 // the same build goes on with more
	_, lists := build(t, dir, input(t, data, 3), o)
	checkLists(t, lists, 10)
}

// TestReference: what cannot be referenced is refused before anything is begun.
func TestReference(t *testing.T) {
	dir := t.TempDir()
	data := clustered(6, 300, 3)
	plain, packed := filepath.Join(dir, "rows.fbin"), filepath.Join(dir, "rows.fbin.gz")
	write(t, plain, data, 3)
	raw, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(z.Close(), os.WriteFile(packed, zipped.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	o := builder.Options{K: 3, Reference: true}
	for what, in := range map[string]*vectors.Input{
		"rows in memory": input(t, data, 3), "a packed file": opened(t, packed), "several files": opened(t, plain, plain),
	} {
		graph := filepath.Join(t.TempDir(), "g")
		if _, err := builder.Build(context.Background(), graph, in, o); !errors.Is(err, builder.ErrReference) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: error %v", what, err)
		}
		if _, err := os.Stat(graph); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: something is left: %v", what, err)
		}
	}
	graph := filepath.Join(t.TempDir(), "g")
	if _, err := builder.Build(context.Background(), graph, opened(t, plain), o); err != nil {
		t.Error(err)
	}
	if report, err := store.Check(context.Background(), graph, store.CheckOptions{}); err != nil || len(report.Faults) > 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

// endless is n rows of as many dimensions as there may be, without memory.
type endless struct{ n int }

func (s endless) Len() int           { return s.n }
func (s endless) Dim() int           { return vectors.MaxDim }
func (s endless) Type() vectors.Type { return vectors.Float32 }
func (s endless) ReadRows(_ int, dst []byte) error {
	clear(dst)
	return nil
}

// TestMemoryOfLongRows: a group holds a thousand rows, however long they are, and what
// a refusal names holds a group.
func TestMemoryOfLongRows(t *testing.T) {
	o := builder.Options{K: 5, Method: builder.Parts, Memory: 1 << 28}
	_, err := builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), vectors.NewInput(endless{1100}), o)
	var needed float64
	if !errors.Is(err, builder.ErrMemory) {
		t.Fatalf("error %v, want ErrMemory", err)
	}
	_, rest, _ := strings.Cut(err.Error(), " need ")
	if _, err := fmt.Sscanf(rest, "%f MiB", &needed); err != nil || needed < 1024/4 {
		t.Errorf("%q: %v", rest, err)
	}
}

// TestFreesAll: when a build is done nothing is held outside Go's heap.
func TestFreesAll(t *testing.T) {
	defer offheap.MapFrom(1)()
	defer builder.CalibrateFor(20 * time.Millisecond)()
	data := clustered(6, 3000, 8)
	for _, m := range []builder.Method{builder.Exact, builder.Balls, builder.Parts, builder.Paper} {
		before := offheap.Held()
		o := builder.Options{K: 5, Method: m, LeafSize: 100}
		if _, err := builder.Plan(context.Background(), input(t, data, 8), o); err != nil {
			t.Fatal(err)
		}
		if held := offheap.Held(); held != before {
			t.Errorf("%s: %d bytes are held after a plan, before it %d", m, held, before)
		}
		build(t, filepath.Join(t.TempDir(), "g"), input(t, data, 8), o)
		if held := offheap.Held(); held != before {
			t.Errorf("%s: %d bytes are held, before it %d", m, held, before)
		}
	}
}

// TestMemoryAdvice: who follows the advice of a refusal gets a graph.
func TestMemoryAdvice(t *testing.T) {
	defer builder.SmallParts(3<<20, 1<<19)()
	const n, dim, k = 60000, 4, 100
	data := clustered(9, n, dim)
	o := builder.Options{K: k, Method: builder.Balls, Memory: 1 << 20}
	_, err := builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
	if !errors.Is(err, builder.ErrMemory) {
		t.Fatalf("error %v, want ErrMemory", err)
	}
	var needed float64
	_, advice, _ := strings.Cut(err.Error(), "; method parts needs ")
	if _, err := fmt.Sscanf(advice, "%f MiB", &needed); err != nil {
		t.Fatalf("%q names no memory: %v", advice, err)
	}
	o.Method, o.Divisions, o.Memory = builder.Parts, 4, int64(needed*(1<<20))
	_, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
	checkLists(t, lists, k)
	o.K = 600
	o.Method, o.Divisions, o.Memory = builder.Balls, 0, 1<<20
	if _, err = builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), input(t, data, dim), o); !errors.Is(err, builder.ErrMemory) || strings.Contains(err.Error(), "parts") {
		t.Errorf("error %v, want ErrMemory without parts, whose lists are not that long", err)
	}
}

// TestCancelled stops builds in all their phases, over and over, and resumes
// them: the graph is that of a build that was never stopped.
func TestCancelled(t *testing.T) {
	defer builder.KeepEvery(0)()
	data := clustered(6, 3000, 8)
	for _, o := range []builder.Options{
		{K: 5, Method: builder.Paper, LeafSize: 64, Paper: builder.PaperOptions{Visits: 60}, Divisions: 4, Rounds: 1},
		{K: 5, Method: builder.Balls, LeafSize: 64, Divisions: 10, Rounds: 3},
		{K: 5, Method: builder.Balls, LeafSize: 32, Recall: 0.98},
		{K: 5, Method: builder.Parts, Recall: 0.98},
	} {
		dir := filepath.Join(t.TempDir(), "g")
		stops := stopOften(t, dir, data, o)
		want, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, 8), o)
		got, err := builder.Build(context.Background(), dir, input(t, data, 8), o)
		if got == nil || got.Checksum != want.Checksum {
			t.Fatalf("%s: after %d stops %v %v, want checksum %s", o.Method, stops, got, err, want.Checksum)
		}
		if stops < 3 {
			t.Errorf("%s: %d stops", o.Method, stops)
		}
		t.Logf("%s: %d stops, resumed %d times", o.Method, stops, got.Resumed)
	}
}

// stopOften builds until a build is not stopped, stopping each a little later.
func stopOften(t *testing.T, dir string, data []float32, o builder.Options) (stops int) {
	for phase := 0; ; phase++ {
		ctx, cancel := context.WithCancel(context.Background())
		events := 0
		o.Progress = func(e builder.Event) {
			if events++; e.End && events > 4*phase {
				cancel()
			}
		}
		_, err := builder.Build(ctx, dir, input(t, data, 8), o)
		cancel()
		if err == nil {
			return stops
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if stops++; stops > 200 {
			t.Fatal("no end")
		}
	}
}
