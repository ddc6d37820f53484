package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/knng/knng/store/internal/sealed"
)

// entry is a neighbor and its key.
type entry struct {
	row uint32
	key float32
}

// scattered makes a finished store of n rows with k neighbors each that are
// drawn at random, some rows more often than others, keys from a few values, and
// some rows isolated. It returns the slow answer too: who lists whom.
func scattered(t testing.TB, rng *rand.Rand, n, k int) (dir string, in [][]entry) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "s")
	m := tiny(n)
	m.K, m.Options = k, []Option{{Name: "distance", Value: "drawn"}}
	d := open(t, dir, m)
	in = make([][]entry, n)
	isolated := make([]bool, n)
	var order []uint32
	for row := range isolated {
		if isolated[row] = rng.IntN(10) == 0 && row > k; !isolated[row] {
			order = append(order, uint32(row))
		}
	}
	must(t, d.CommitOrder(order))
	must(t, d.CommitAdjacency(k, func(add func([]uint32, []float32) error) error {
		for row := range uint32(n) {
			var list []entry
			for !isolated[row] && len(list) < k {
				near := order[rng.IntN(1+rng.IntN(len(order)))]
				if near != row && !slices.ContainsFunc(list, func(e entry) bool { return e.row == near }) {
					list = append(list, entry{near, float32(rng.IntN(5))})
				}
			}
			slices.SortFunc(list, byKey)
			var neighbors []uint32
			var keys []float32
			for _, e := range list {
				neighbors, keys = append(neighbors, e.row), append(keys, e.key)
				in[e.row] = append(in[e.row], entry{row, e.key})
			}
			if err := add(neighbors, keys); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, list := range in {
		slices.SortFunc(list, byKey)
	}
	sum, err := d.Checksum(context.Background())
	must(t, err)
	must(t, d.Seal(t.Context(), map[string]any{"checksum": sum}))
	return dir, in
}

func byKey(a, b entry) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row)) }

func build(t testing.TB, dir string, opts *ReverseOptions) Reverse {
	t.Helper()
	r, err := BuildReverse(context.Background(), dir, opts)
	must(t, err)
	return r
}

func sound(t *testing.T, dir string) *CheckReport {
	t.Helper()
	report, err := Check(context.Background(), dir, CheckOptions{})
	if err != nil || !report.OK() {
		t.Fatalf("check: %+v %v", report, err)
	}
	return report
}

func TestInNeighborsAgainstScatter(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{2, 17, 300, 2000} {
		k := min(n-1, 1+rng.IntN(8))
		dir, want := scattered(t, rng, n, k)
		sealed := snapshot(t, filepath.Join(dir, graphName))
		for _, memory := range []int64{0, 16 << 10, 2 << 10} { // one spill, some, most that are allowed
			must(t, os.RemoveAll(filepath.Join(dir, reverseName)))
			r := build(t, dir, &ReverseOptions{Memory: memory})
			s, err := Open(dir, nil)
			must(t, err)
			entries := int64(0)
			var buf []Neighbor
			for row := range n {
				buf, err = s.InNeighbors(Row(row), buf)
				must(t, err)
				got := []entry{}
				for _, b := range buf {
					got = append(got, entry{uint32(b.Row), b.Distance})
				}
				if !slices.Equal(got, want[row]) {
					t.Fatalf("seed %d, n %d, k %d, memory %d: row %d has in-neighbors %v, want %v", seed, n, k, memory, row, got, want[row])
				}
				entries += int64(len(got))
			}
			rows := 0
			must(t, s.EachIn(func(row Row, neighbors []uint32, keys []float32) error {
				if int(row) != rows || len(neighbors) != len(want[row]) || len(keys) != len(neighbors) {
					t.Fatalf("seed %d: row %d: %v", seed, row, neighbors)
				}
				rows++
				return nil
			}))
			if rows != n || r.Entries != entries || r.Rows != n || r.Checksum != s.Info().Checksum {
				t.Errorf("seed %d: %d rows, %+v, want %d entries", seed, rows, r, entries)
			}
			must(t, s.Close())
		}
		if sealed != snapshot(t, filepath.Join(dir, graphName)) {
			t.Error("the sealed graph was touched")
		}
		if report := sound(t, dir); report.Reverse == 0 {
			t.Error("the in-neighbors were not checked")
		}
	}
}

// TestSpillsFitTheMemory looks at how rows are shared out: every spill fits the
// memory or is of one group of rows, and together they cover all rows.
func TestSpillsFitTheMemory(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	dir, _ := scattered(t, rng, 3000, 5)
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	for _, memory := range []int64{1 << 10, 10 << 10, 1 << 20} {
		tr, err := newTransposer(context.Background(), s, home(t, t.TempDir()), &ReverseOptions{Memory: memory})
		must(t, err)
		must(t, tr.count())
		tr.plan()
		end, arcs := 0, int64(0)
		for _, sp := range tr.spills {
			if sp.from != end || bytesToSort(sp.arcs, sp.to-sp.from) > memory && sp.to-sp.from > 1<<tr.shift {
				t.Errorf("seed %d, memory %d: spill %+v after row %d", seed, memory, sp, end)
			}
			end, arcs = sp.to, arcs+sp.arcs
		}
		if end != s.Len() || arcs != tr.entries || len(tr.spills) > maxSpills {
			t.Errorf("seed %d, memory %d: %d spills of %d rows and %d arcs", seed, memory, len(tr.spills), end, arcs)
		}
	}
}

func TestInNeighborsFromSeveral(t *testing.T) {
	dir, want := scattered(t, rand.New(rand.NewPCG(6, 0)), 300, 4)
	build(t, dir, nil)
	s, err := Open(dir, nil)
	must(t, err)
	var g sync.WaitGroup
	for worker := range 4 {
		g.Go(func() {
			var buf []Neighbor
			for i := 0; ; i++ {
				row := (i*7 + worker) % 300
				var err error
				if buf, err = s.InNeighbors(Row(row), buf); err != nil {
					if !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					return
				}
				if len(buf) != len(want[row]) {
					t.Errorf("row %d: %v, want %v", row, buf, want[row])
				}
			}
		})
	}
	rows := 0
	must(t, s.EachIn(func(Row, []uint32, []float32) error { rows++; return nil }))
	must(t, s.Close())
	g.Wait()
	if err := s.EachIn(nil); rows != 300 || !errors.Is(err, ErrClosed) {
		t.Errorf("%d rows, then %v", rows, err)
	}
}

func TestReverseIsApart(t *testing.T) {
	dir, _ := scattered(t, rand.New(rand.NewPCG(1, 0)), 200, 4)
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	if _, err := s.InNeighbors(0, nil); !errors.Is(err, ErrNoReverse) {
		t.Errorf("before they are built: %v", err)
	}
	first := build(t, dir, nil)
	before := snapshot(t, filepath.Join(dir, reverseName))
	if again := build(t, dir, nil); again != first || snapshot(t, filepath.Join(dir, reverseName)) != before {
		t.Error("they were built again")
	}
	if _, err := s.InNeighbors(0, nil); err != nil { // an open store finds them
		t.Error(err)
	}
	if _, err := s.InNeighbors(200, nil); !errors.Is(err, ErrNoRow) {
		t.Errorf("row 200: %v", err)
	}
	other, _ := scattered(t, rand.New(rand.NewPCG(2, 0)), 200, 4)
	must(t, os.CopyFS(filepath.Join(other, reverseName), os.DirFS(filepath.Join(dir, reverseName))))
	report, err := Check(context.Background(), other, CheckOptions{})
	if err != nil || report.OK() || !strings.Contains(report.Faults[0], "of another graph") {
		t.Errorf("in-neighbors of another graph: %+v %v", report, err)
	}
	build(t, other, nil)
	sound(t, other)
	must(t, os.RemoveAll(filepath.Join(dir, reverseName)))
	sound(t, dir)
}

func TestReverseInterrupted(t *testing.T) {
	dir, _ := scattered(t, rand.New(rand.NewPCG(3, 0)), 500, 4)
	temp := filepath.Join(dir, reverseName+newSuffix)
	for _, at := range []string{"counting", "distributing", "sorting"} {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := BuildReverse(ctx, dir, &ReverseOptions{Progress: func(what string, _, _ int) {
			if what == at {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled while %s: %v", at, err)
		}
		if _, err := os.Stat(temp); err == nil {
			t.Errorf("cancelled while %s: %s is left", at, temp)
		}
		sound(t, dir)
	}
	// What a kill leaves: a folder half made.
	must(t, os.MkdirAll(filepath.Join(temp, graphName), 0o777))
	must(t, os.WriteFile(filepath.Join(temp, graphName, "MANIFEST-000001"), []byte("half"), 0o666))
	sound(t, dir)
	build(t, dir, nil)
	sound(t, dir)
	if _, err := os.Stat(temp); err == nil {
		t.Errorf("%s is left", temp)
	}
}

func TestReverseRefused(t *testing.T) {
	unfinished := filepath.Join(t.TempDir(), "s")
	d := open(t, unfinished, tiny(10))
	if _, err := BuildReverse(context.Background(), unfinished, nil); !errors.Is(err, ErrNotFinished) {
		t.Errorf("an unfinished store: %v", err)
	}
	d.Close()
	dir, _ := scattered(t, rand.New(rand.NewPCG(4, 0)), 2000, 8)
	if _, err := BuildReverse(context.Background(), dir, &ReverseOptions{Memory: 10}); err == nil || !strings.Contains(err.Error(), "at least") {
		t.Errorf("10 bytes of memory: %v", err)
	}
	lock, err := lockDir(t.Context(), home(t, dir))
	must(t, err)
	defer lock.Close()
	if _, err := BuildReverse(context.Background(), dir, nil); !errors.Is(err, ErrLocked) {
		t.Errorf("a locked store: %v", err)
	}
}

// TestReverseFlips changes bytes of the in-neighbors: Check finds it, lookups
// give the right rows or an error, and the graph itself still opens.
func TestReverseFlips(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	dir, want := scattered(t, rng, 100, 3)
	build(t, dir, nil)
	files, _, err := sealed.Read(home(t, filepath.Join(dir, reverseName)))
	must(t, err)
	files = append(files, SealedFile{Path: sealName})
	for range 60 {
		path := filepath.Join(dir, reverseName, files[rng.IntN(len(files))].Path)
		good, err := os.ReadFile(path)
		must(t, err)
		if len(good) == 0 {
			continue
		}
		bad := bytes.Clone(good)
		bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
		must(t, os.WriteFile(path, bad, 0o666))
		if report, err := Check(context.Background(), dir, CheckOptions{}); err == nil && report.OK() {
			t.Errorf("seed %d: damage to %s was not found", seed, path)
		}
		s, err := Open(dir, nil)
		must(t, err)
		for row := range want {
			list, err := s.InNeighbors(Row(row), nil)
			if err == nil && len(list) != len(want[row]) {
				t.Fatalf("seed %d: row %d: %v, want %v", seed, row, list, want[row])
			}
		}
		must(t, s.Close())
		must(t, os.WriteFile(path, good, 0o666))
	}
	sound(t, dir)
}

func TestInNeighborsAllocatesNothing(t *testing.T) {
	dir, _ := scattered(t, rand.New(rand.NewPCG(5, 0)), 200, 4)
	build(t, dir, nil)
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	allocatesNothing(t, s.InNeighbors)
}

func TestDumpIn(t *testing.T) {
	dir := finished(t, 3, false)
	var out bytes.Buffer
	if err := Dump(t.Context(), dir, &out, "in/1"); !errors.Is(err, ErrNoReverse) {
		t.Errorf("before they are built: %v", err)
	}
	build(t, dir, nil)
	must(t, Dump(t.Context(), dir, &out, "in/1"))
	if want := fmt.Sprintf("row 1: 2 in-neighbors with keys\n%10d 1\n%10d 1\n", 0, 2); out.String() != want {
		t.Errorf("dump is\n%swant\n%s", &out, want)
	}
}
