package store

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/vectors"
)

// tiny describes a store of n rows of two bytes each.
func tiny(n int) Manifest {
	return Manifest{Rows: n, Dim: 2, Type: "uint8", Metric: "euclidean", K: 2, Vectors: "copy",
		Options: []Option{{Name: "k", Value: "2"}, {Name: "seed", Value: "1"}}}
}

func open(t testing.TB, dir string, m Manifest) *Draft {
	t.Helper()
	d, err := OpenDraft(dir, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// line puts row i at (i, 0): the neighbors of a row are those beside it.
func line(n int, row int) (neighbors []uint32, keys []float32) {
	key := func(a, b int) float32 { return float32((a - b) * (a - b)) }
	var list []int
	switch row {
	case 0:
		list = []int{1, 2}
	case n - 1:
		list = []int{n - 2, n - 3}
	default:
		list = []int{row - 1, row + 1}
	}
	for _, other := range list {
		neighbors, keys = append(neighbors, uint32(other)), append(keys, key(row, other))
	}
	return neighbors, keys
}

// finish writes everything that a finished store has.
func finish(t testing.TB, d *Draft, n int, ids bool) {
	t.Helper()
	w, err := vectors.CreateRows(d.RowsPath(), n, 2, vectors.Uint8)
	must(t, err)
	order := make([]uint32, n)
	for place := range order {
		order[place] = uint32(n - 1 - place)
		w.Write([]byte{byte(order[place]), 0})
	}
	must(t, w.Commit())
	must(t, d.CommitOrder(order))
	if ids {
		path := filepath.Join(t.TempDir(), "ids")
		var text bytes.Buffer
		for row := range n {
			fmt.Fprintf(&text, "row number %d\n", row)
		}
		must(t, os.WriteFile(path, text.Bytes(), 0o666))
		must(t, commitIDs(t, d, path, n, nil))
	}
	must(t, d.CommitAdjacency(2, func(add func([]uint32, []float32) error) error {
		for row := range n {
			if err := add(line(n, row)); err != nil {
				return err
			}
		}
		return nil
	}))
	sum, err := d.Checksum(context.Background())
	must(t, err)
	must(t, d.Seal(t.Context(), map[string]any{"checksum": sum}))
}

// TestChecksumOfLists: the checksum of lists in memory is that of a store that has them, isolated rows and all.
func TestChecksumOfLists(t *testing.T) {
	for _, n := range []int{1, 7, block.Rows, 300} {
		lists := func(row int) ([]uint32, []float32) {
			if n < 3 || row%5 == 3 {
				return nil, nil
			}
			return line(n, row)
		}
		d := open(t, filepath.Join(t.TempDir(), "s"), tiny(n))
		must(t, d.CommitAdjacency(2, func(add func([]uint32, []float32) error) error {
			for row := range n {
				if err := add(lists(row)); err != nil {
					return err
				}
			}
			return nil
		}))
		want, err := d.Checksum(t.Context())
		must(t, err)
		got, err := ChecksumOf(Shape{Rows: n, K: 2}, func(add func([]uint32)) error {
			for row := range n {
				neighbors, _ := lists(row)
				add(neighbors)
			}
			return nil
		}, func(add func([]float32)) error {
			for row := range n {
				_, keys := lists(row)
				add(keys)
			}
			return nil
		})
		if must(t, err); got != want {
			t.Errorf("%d rows: the checksum of the lists is %s, of the store %s", n, got, want)
		}
		must(t, d.Close())
	}
	failed := errors.New("failed")
	noNeighbors, noKeys := func(func([]uint32)) error { return nil }, func(func([]float32)) error { return failed }
	if _, err := ChecksumOf(Shape{Rows: 1}, noNeighbors, noKeys); err != failed {
		t.Errorf("keys that cannot be read: %v", err)
	}
	if _, err := ChecksumOf(Shape{Rows: 1}, func(func([]uint32)) error { return failed }, noKeys); err != failed {
		t.Errorf("neighbors that cannot be read: %v", err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// finished makes a finished store of n <= 256 rows.
func finished(t testing.TB, n int, ids bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "s")
	finish(t, open(t, dir, tiny(n)), n, ids)
	return dir
}

func TestFinishedStore(t *testing.T) {
	const n = 100
	dir := finished(t, n, true)
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	if s.Len() != n || s.K() != 2 || !s.Info().IDs {
		t.Fatalf("%d rows, k %d, ids %v", s.Len(), s.K(), s.Info().IDs)
	}
	var buf []Neighbor
	for row := range n {
		if buf, err = s.Neighbors(Row(row), buf); err != nil {
			t.Fatal(err)
		}
		neighbors, keys := line(n, row)
		for i := range buf {
			if buf[i].Row != Row(neighbors[i]) || buf[i].Distance*buf[i].Distance != keys[i] {
				t.Fatalf("row %d: %v, want %v %v", row, buf, neighbors, keys)
			}
		}
		id, err := s.ID(Row(row))
		must(t, err)
		if back, err := s.RowOf(id); err != nil || back != Row(row) || id != fmt.Sprintf("row number %d", row) {
			t.Fatalf("row %d has id %q of row %d, %v", row, id, back, err)
		}
	}
	if _, err := s.Neighbors(n, nil); !errors.Is(err, ErrNoRow) {
		t.Errorf("row %d: %v", n, err)
	}
	if _, err := s.RowOf("nobody"); !errors.Is(err, ErrNoID) {
		t.Errorf("nobody: %v", err)
	}
	it, rows := s.Iterate(), 0
	for row, list := range it.All() {
		if int(row) != rows || len(list) != 2 {
			t.Fatalf("row %d: %v", row, list)
		}
		if rows++; rows == 50 {
			break
		}
	}
	if rows != 50 || it.Err() != nil {
		t.Errorf("%d rows, %v", rows, it.Err())
	}
	report, err := Check(context.Background(), dir, CheckOptions{Full: true})
	if err != nil || !report.OK() || report.Lists != n || report.Recomputed != 2*n || report.IDs != n {
		t.Errorf("check: %+v %v", report, err)
	}
}

func TestNeighborsAllocatesNothing(t *testing.T) {
	s, err := Open(finished(t, 200, false), nil)
	must(t, err)
	defer s.Close()
	allocatesNothing(t, s.Neighbors)
}

// allocatesNothing looks up some of 200 rows into one buffer.
func allocatesNothing(t *testing.T, lookup func(Row, []Neighbor) ([]Neighbor, error)) {
	t.Helper()
	buf := make([]Neighbor, 0, 200)
	row := Row(0)
	if a := testing.AllocsPerRun(500, func() {
		row = (row + 37) % 200
		var err error
		if buf, err = lookup(row, buf); err != nil {
			t.Fatal(err)
		}
	}); a != 0 && !raceEnabled {
		t.Errorf("%v allocations", a)
	}
}

func TestCloseWaits(t *testing.T) {
	s, err := Open(finished(t, 200, false), nil)
	must(t, err)
	var g sync.WaitGroup
	for worker := range 4 {
		g.Go(func() {
			var buf []Neighbor
			for i := 0; ; i++ {
				var err error
				if buf, err = s.Neighbors(Row((i*7+worker)%200), buf); err != nil {
					if !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	// A body that looks rows up while another goroutine closes must not hang.
	closed := make(chan error)
	it := s.Iterate()
	for row := range it.All() {
		if row == 50 {
			go func() { closed <- s.Close() }()
		}
		s.Neighbors(row, nil)
	}
	must(t, <-closed)
	g.Wait()
	if _, err := s.Neighbors(0, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := s.Record("audit", new(any)); !errors.Is(err, ErrClosed) {
		t.Errorf("a record after Close: %v", err)
	}
	for name, call := range map[string]func() error{
		"OpenDerived": func() error { _, err := s.OpenDerived(DerivedLinks); return err },
		"MakeDerived": func() error { _, err := s.MakeDerived(DerivedLinks); return err },
		"NameAnew":    func() error { return s.NameAnew("rows") },
		"Tell":        func() error { return s.Tell(1) },
		"Vectors":     func() error { _, _, err := s.Vectors(); return err },
		"Sparse":      func() error { _, _, err := s.Sparse(); return err },
		"Reverse":     func() error { _, err := s.Reverse(); return err },
	} {
		if err := call(); !errors.Is(err, ErrClosed) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
	s.Untell()
}

// TestHelper is what other processes run.
func TestHelper(t *testing.T) {
	dir := os.Getenv("KNNG_TEST_DIR")
	switch os.Getenv("KNNG_TEST_DO") {
	case "read":
		s, err := Open(dir, nil)
		must(t, err)
		defer s.Close()
		if _, err := s.Neighbors(5, nil); err != nil {
			t.Fatal(err)
		}
	case "read much":
		readMuch(t, dir)
	case "hold":
		d, err := OpenDraft(dir, tiny(100), nil)
		must(t, err)
		must(t, d.Record("begun", true))
		fmt.Println("held")
		time.Sleep(time.Hour) // until it is killed
	case "build":
		_, err := OpenDraft(dir, tiny(100), nil)
		if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), os.Getenv("KNNG_TEST_HOLDER")) {
			t.Fatalf("error %v, want ErrLocked that names process %s", err, os.Getenv("KNNG_TEST_HOLDER"))
		}
	}
}

func another(t *testing.T, do, dir string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestHelper$")
	cmd.Env = append(os.Environ(), "KNNG_TEST_DO="+do, "KNNG_TEST_DIR="+dir, fmt.Sprintf("KNNG_TEST_HOLDER=process %d", os.Getpid()))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestProcessesReadOneStore(t *testing.T) {
	dir := finished(t, 100, false)
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	another(t, "read", dir)
}

func TestSecondBuildIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	d := open(t, dir, tiny(100))
	defer d.Close()
	another(t, "build", dir)
}

func TestReadOnlyDirectory(t *testing.T) {
	dir := finished(t, 100, false)
	before := snapshot(t, dir)
	s, err := Open(dir, nil)
	must(t, err)
	s.Neighbors(3, nil)
	must(t, s.Close())
	if after := snapshot(t, dir); before != after {
		t.Errorf("reading changed the directory:\n%s\n%s", before, after)
	}
}

// snapshot lists files with sizes and times.
func snapshot(t *testing.T, dir string) (list string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			info, _ := e.Info()
			list += fmt.Sprintln(path, info.Size(), info.ModTime().UnixNano())
		}
		return err
	}))
	return list
}

func TestMismatchAndStates(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	if state, _ := StateOf(dir); state != Absent {
		t.Errorf("state %s", state)
	}
	d := open(t, dir, tiny(100))
	must(t, d.Close())
	if state, _ := StateOf(dir); state != Unfinished {
		t.Errorf("state %s", state)
	}
	if _, err := Open(dir, nil); !errors.Is(err, ErrNotFinished) {
		t.Errorf("reading an unfinished build: %v", err)
	}
	other := tiny(100)
	other.Options = []Option{{Name: "k", Value: "2"}, {Name: "seed", Value: "9"}}
	_, err := OpenDraft(dir, other, nil)
	if !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), "seed: 1 there, 9 asked") {
		t.Errorf("another seed: %v", err)
	}
	d = open(t, dir, tiny(100))
	if !d.Resumed() {
		t.Error("not resumed")
	}
	finish(t, d, 100, false)
	if _, err := OpenDraft(dir, tiny(100), nil); !errors.Is(err, ErrFinished) {
		t.Errorf("a finished store: %v", err)
	}
	if _, err := OpenDraft(dir, other, nil); !errors.Is(err, ErrMismatch) {
		t.Errorf("a finished store of another seed: %v", err)
	}
	foreign := t.TempDir()
	must(t, os.WriteFile(filepath.Join(foreign, "letter.txt"), []byte("x"), 0o666))
	if _, err := OpenDraft(foreign, tiny(100), nil); !errors.Is(err, ErrNotStore) {
		t.Errorf("a folder of other files: %v", err)
	}
}

// batch makes lists for places from, from+1, ..., of e entries each.
func batch(from, rows, e int, rng *rand.Rand) (l Lists) {
	for p := range rows {
		var ids []uint32
		var keys []float32
		for range e {
			ids, keys = append(ids, rng.Uint32()), append(keys, rng.Float32())
		}
		l.Append(uint32(from+p), ids, keys)
	}
	return l
}

func TestUnitsAndFolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	dir := filepath.Join(t.TempDir(), "s")
	d := open(t, dir, tiny(50000))
	for stage := uint32(1); stage <= 3; stage++ {
		for unit := range uint32(4) {
			must(t, d.CommitUnit(stage, unit, []Lists{batch(int(unit)*5000, 5000, 5, rng)}, map[string]uint32{"r": unit}))
		}
	}
	replayed := func(stage uint32) (rows int) {
		must(t, d.Replay(stage, func(_ uint32, l *Lists) error { rows += len(l.Rows); return nil }))
		return rows
	}
	if got := replayed(2); got != 20000 {
		t.Errorf("%d rows replayed, want 20000", got)
	}
	before, err := d.DiskBytes()
	must(t, err)
	lists := batch(0, 50000, 1, rng)
	must(t, d.Fold(2, func(add func(*Lists) error) error { return add(&lists) }))
	if replayed(1) != 0 || replayed(2) != 0 || replayed(3) != 20000 {
		t.Error("the fold dropped other stages than it should")
	}
	after := before
	for range 100 { // Pebble deletes files in the background
		if after, err = d.DiskBytes(); err != nil || after <= before*3/4 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	must(t, err)
	if after > before*3/4 {
		t.Errorf("%d bytes on disk, %d before the fold: nothing was given back", after, before)
	}
	must(t, d.Close())
	d = open(t, dir, tiny(50000))
	defer d.Close()
	folded := 0
	must(t, d.ReadFolded(func(l *Lists) error { folded += len(l.Rows); return nil }))
	if stage, ok, err := d.Folded(); folded != 50000 || stage != 2 || !ok || err != nil || replayed(3) != 20000 {
		t.Errorf("reopened: %d rows folded, stage %d", folded, stage)
	}
}

var flipsFlag = flag.Int("flips", 100, "damages that TestFlips does to a store")

// TestFlips changes a byte of a finished store at random: Check finds it, and
// lookups give the right list or an error.
func TestFlips(t *testing.T) {
	const n = 120
	dir := finished(t, n, true)
	flips := *flipsFlag
	seed := rand.Uint64()
	t.Logf("seed %d, %d flips", seed, flips)
	rng := rand.New(rand.NewPCG(seed, 1))
	files, _, err := sealed.Read(home(t, dir))
	must(t, err)
	files = append(files, SealedFile{Path: sealName}, SealedFile{Path: viewName})
	for range flips {
		path := filepath.Join(dir, files[rng.IntN(len(files))].Path)
		good, err := os.ReadFile(path)
		must(t, err)
		if len(good) == 0 {
			continue
		}
		bad := bytes.Clone(good)
		if at := rng.IntN(len(bad)); rng.IntN(8) == 0 {
			bad = bad[:at]
		} else {
			bad[at] ^= 1 << rng.IntN(8)
		}
		must(t, os.WriteFile(path, bad, 0o666))
		report, err := Check(context.Background(), dir, CheckOptions{})
		if err == nil && report.OK() && !slices.Contains(report.Notes, otherView) {
			t.Errorf("seed %d: damage to %s was not found", seed, path)
		}
		lookups(t, dir, n)
		must(t, os.WriteFile(path, good, 0o666))
	}
	if report, err := Check(context.Background(), dir, CheckOptions{}); err != nil || !report.OK() {
		t.Errorf("after the repair: %+v %v", report, err)
	}
}

// lookups reads all rows of a damaged store.
func lookups(t *testing.T, dir string, n int) {
	s, err := Open(dir, nil)
	if err != nil {
		return
	}
	defer s.Close()
	for row := range n {
		neighbors, keys, err := s.Keyed(Row(row), nil, nil)
		if err != nil {
			continue
		}
		want, wantKeys := line(n, row)
		if fmt.Sprint(neighbors, keys) != fmt.Sprint(want, wantKeys) {
			t.Fatalf("row %d: %v %v, want %v %v: a wrong list without an error", row, neighbors, keys, want, wantKeys)
		}
	}
}

func TestIDsRefused(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "s"), tiny(3))
	defer d.Close()
	for text, want := range map[string]string{
		"a\nb\n": "2 lines, want one for each of 3 rows", "a\n\nc\n": "line 2 is empty", "a\nb\na\n": "lines 1 and 3 are both",
		"a\nb\n\xff\n": "line 3 is not UTF-8", "a\nb\n" + strings.Repeat("c", 5000): "line 3",
	} {
		path := filepath.Join(t.TempDir(), "ids")
		must(t, os.WriteFile(path, []byte(text), 0o666))
		if err := commitIDs(t, d, path, 3, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
}

func TestDump(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "s"), tiny(3))
	dir := d.dir
	finish(t, d, 3, true)
	var out bytes.Buffer
	for _, key := range []string{"row/0", "block/1", "view/1", "place/2", "id/row number 1"} {
		fmt.Fprintf(&out, "-- %s\n", key)
		must(t, Dump(t.Context(), dir, &out, key))
	}
	golden := filepath.Join("testdata", "dump.golden")
	if os.Getenv("KNNG_UPDATE") != "" {
		must(t, os.MkdirAll("testdata", 0o777))
		must(t, os.WriteFile(golden, out.Bytes(), 0o666))
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("dump is\n%swant\n%s", out.Bytes(), want)
	}
	if err := Dump(t.Context(), dir, &out, "nonsense/x"); err == nil {
		t.Error("nonsense was dumped")
	}
}

func FuzzDecoders(f *testing.F) {
	rng := rand.New(rand.NewPCG(2, 2))
	l := batch(5, 3, 2, rng)
	encoded, _ := appendLists(nil, &l)
	f.Add(encoded)
	for _, countBytes := range []int{block.OutCount, block.InCount} {
		b := block.Builder{CountBytes: countBytes}
		b.Add([]uint32{1, 2}, []float32{3, 4})
		f.Add(b.AppendTo(nil))
	}
	f.Add(sealed.Text([]SealedFile{{Path: "graph/x", Size: 5, SHA256: "00"}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var l Lists
		if decodeLists(data, &l) == nil {
			again, err := appendLists(nil, &l)
			var back Lists
			if err != nil || decodeLists(again, &back) != nil || fmt.Sprint(l) != fmt.Sprint(back) {
				t.Fatalf("decoded lists do not come back: %v", err)
			}
		}
		for i := range block.Rows {
			block.Row(data, i, block.OutCount)
			block.Row(data, i, block.InCount)
		}
		sealed.Parse(data)
	})
}

func BenchmarkNeighbors(b *testing.B) {
	dir := os.Getenv("KNNG_BENCH_STORE") // a store of your own; else a tiny one
	if dir == "" {
		dir = finished(b, 250, false)
	}
	s, err := Open(dir, &Options{CacheBytes: 512 << 20})
	must(b, err)
	defer s.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	buf := make([]Neighbor, 0, s.K())
	for b.Loop() {
		if buf, err = s.Neighbors(Row(rng.IntN(s.Len())), buf); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIDs(b *testing.B) {
	const n = 100000
	d := open(b, filepath.Join(b.TempDir(), "s"), tiny(n))
	defer d.Close()
	path := filepath.Join(b.TempDir(), "ids")
	var text bytes.Buffer
	for row := range n {
		fmt.Fprintf(&text, "pictures/row number %d.jpg\n", row)
	}
	must(b, os.WriteFile(path, text.Bytes(), 0o666))
	must(b, commitIDs(b, d, path, n, nil))
	rng := rand.New(rand.NewPCG(1, 1))
	b.Run("row to id", func(b *testing.B) {
		for b.Loop() {
			_, err := d.engine.appendID(nil, rng.Uint64N(n))
			must(b, err)
		}
	})
	b.Run("id to row", func(b *testing.B) {
		for b.Loop() {
			_, _, err := d.engine.rowOf(fmt.Sprintf("pictures/row number %d.jpg", rng.IntN(n)))
			must(b, err)
		}
	})
}

// TestBuildsGoOnOften: however often a build was interrupted, writing goes on.
func TestBuildsGoOnOften(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g")
	done := make(chan error, 1)
	go func() {
		for i := range 40 {
			d, err := OpenDraft(dir, tiny(100), nil)
			if err == nil {
				err = d.Record("state", i)
			}
			if err == nil {
				err = d.CommitUnit(uint32(i+1), 0, []Lists{{Rows: []uint32{1}, Starts: []uint32{0, 1}, Neighbors: []uint32{2}, Keys: []float32{3}}}, i)
			}
			if err == nil && i == 39 {
				err = d.engine.settle()
			}
			if d != nil {
				err = errors.Join(err, d.Close())
			}
			if err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("a write waits for ever")
	}
}

// commitIDs commits the ids of a file.
func commitIDs(t testing.TB, d *Draft, path string, rows int, dropped []uint32) error {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	return d.CommitIDs(t.Context(), f, path, rows, dropped)
}
