package builder_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/distance"
)

var (
	long     = flag.Bool("long", false, "the long forms of tests that inject crashes and faults")
	seedFlag = flag.Uint64("seed", 0, "run a randomised test with this seed")
)

// seedOf returns the seed of a randomised test and prints what repeats it.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("again: go test ./builder -run '^%s$' -seed %d -long=%v", t.Name(), seed, *long)
	return seed
}

func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(seedOf(t), 1))
}

// smallBuilds go through every kind of stage; folds and the lists of balls are
// written after each stage.
var smallBuilds = map[string]builder.Options{
	"exact": {K: 5, Method: builder.Exact, LeafSize: 20},
	"paper": {K: 5, Method: builder.Paper, LeafSize: 40, Paper: builder.PaperOptions{Visits: 40}, Divisions: 3, Rounds: 1},
	"parts": {K: 5, Method: builder.Parts, Divisions: 8},
	"inner": {K: 5, Method: builder.Parts, Metric: distance.IP, Divisions: 8},
	"balls": {K: 5, Method: builder.Balls, LeafSize: 40, Divisions: 4, Rounds: 2},
	"equal": {K: 5, Method: builder.Paper, LeafSize: 40, Divisions: 2, Rounds: 1, Duplicates: builder.Collapse},
}

// idsFile writes an id for each of n rows.
func idsFile(t *testing.T, n int) string {
	t.Helper()
	var text strings.Builder
	for i := range n {
		text.WriteString("row" + strconv.Itoa(i) + "\n")
	}
	path := filepath.Join(t.TempDir(), "ids")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCrashMatrix lets the power fail before and after each sync and each rename
// of small builds, with none, some or all of what was not synced on the disk. A
// build that goes on from there makes the graph of one that was left alone, also
// where the power fails again while it goes on.
func TestCrashMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine's work: runs without -short")
	}
	defer builder.KeepEvery(0)()
	const n, dim = 500, 4
	data := clustered(11, n, dim)
	rng := seeded(t)
	crashes, twice := 0, 0
	for name, o := range smallBuilds {
		o.IDs = idsFile(t, n)
		dir := filepath.Join(t.TempDir(), "g")
		m := newMirror(t, dir)
		var after []crashed
		m.crash = func(op, path string) {
			sealing := strings.HasSuffix(path, "SEAL")
			if percent := []int{0, 50, 100}[rng.IntN(3)]; *long || sealing || rng.IntN(30) == 0 {
				after = append(after, crashed{op + " of " + strings.TrimPrefix(path, dir), percent, m.after(percent, rng)})
			}
		}
		want, _ := build(t, dir, input(t, data, dim), o.On(m))
		for _, c := range after {
			again := filepath.Join(t.TempDir(), "g")
			copyOut(t, c.fs, dir, again)
			what := name + ": crash " + c.String()
			var second []crashed
			often, every := 4, 100
			if *long {
				often, every = 10, 8
			}
			if rng.IntN(often) == 0 {
				second = crashAgain(t, what, c, dir, data, dim, o, rng, every)
			}
			goesOn(t, what, again, data, dim, o, want.Checksum)
			os.RemoveAll(again)
			for _, s := range second {
				copyOut(t, s.fs, dir, again)
				goesOn(t, what+", then "+s.String(), again, data, dim, o, want.Checksum)
				os.RemoveAll(again)
			}
			twice += len(second)
		}
		crashes += len(after)
	}
	t.Logf("%d crashes, %d more while going on after one", crashes, twice)
}

// TestCrashAfterFold: a crash between a fold of the balls method and the record of its state,
// and another one anywhere while going on after that, lose nothing that counts.
func TestCrashAfterFold(t *testing.T) {
	defer builder.KeepEvery(0)()
	const n, dim = 200, 4
	data, o := clustered(12, n, dim), smallBuilds["balls"]
	rng, dir := seeded(t), filepath.Join(t.TempDir(), "g")
	m := newMirror(t, dir)
	var after []crashed
	m.crash = func(op, path string) { after = append(after, crashed{op + " of " + path, 100, m.after(100, rng)}) }
	want, _ := build(t, dir, input(t, data, dim), o.On(m))
	var torn []crashed
	for _, c := range after {
		again := filepath.Join(t.TempDir(), "g")
		copyOut(t, c.fs, dir, again)
		p, err := store.ProgressOf(again)
		if err != nil {
			continue // before there was anything, or after it was sealed
		}
		var state struct{ Stages []any }
		if err := json.Unmarshal(p.State, &state); err == nil && int(p.Folded) > len(state.Stages) {
			torn = append(torn, c)
		}
	}
	if len(torn) == 0 {
		t.Fatalf("none of %d crashes came between a fold and its state", len(after))
	}
	for range 2 {
		c := torn[rng.IntN(len(torn))]
		second := crashAgain(t, c.String(), c, dir, data, dim, o, rng, 1)
		for _, s := range second {
			again := filepath.Join(t.TempDir(), "g")
			copyOut(t, s.fs, dir, again)
			goesOn(t, c.String()+", then "+s.String(), again, data, dim, o, want.Checksum)
		}
		t.Logf("%d crashes while going on", len(second))
	}
}

// crashAgain goes on after a crash, in the folder where it happened, with the
// power failing around some of the syncs and renames, one in every.
func crashAgain(t *testing.T, what string, c crashed, dir string, data []float32, dim int, o builder.Options, rng *rand.Rand, every int) (after []crashed) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	copyOut(t, c.fs, dir, dir)
	m := newMirror(t, dir)
	copyIn(t, m.mem, dir)
	m.crash = func(op, path string) {
		if rng.IntN(every) == 0 {
			percent := []int{0, 50, 100}[rng.IntN(3)]
			after = append(after, crashed{op + " of " + strings.TrimPrefix(path, dir), percent, m.after(percent, rng)})
		}
	}
	_, err := builder.Build(context.Background(), dir, input(t, data, dim), o.On(m))
	if err != nil && !errors.Is(err, store.ErrFinished) {
		t.Errorf("%s: %v", what, err)
	}
	return after
}

// crashed is what a crash left.
type crashed struct {
	where   string
	percent int
	fs      *vfs.MemFS
}

func (c crashed) String() string {
	return c.where + " with " + strconv.Itoa(c.percent) + " % of the rest"
}

// goesOn builds on in dir and compares the graph.
func goesOn(t *testing.T, what, dir string, data []float32, dim int, o builder.Options, want string) {
	t.Helper()
	got, err := builder.Build(context.Background(), dir, input(t, data, dim), o)
	if err != nil && !errors.Is(err, store.ErrFinished) {
		t.Errorf("%s: %v", what, err)
		return
	}
	if got.Checksum != want {
		t.Errorf("%s: checksum %s, want %s", what, got.Checksum, want)
	}
	report, err := store.Check(context.Background(), dir, store.CheckOptions{})
	if err != nil || !report.OK() {
		t.Errorf("%s: check: %v %+v", what, err, report)
	}
}
