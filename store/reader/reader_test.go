package reader_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/reader"
	"github.com/knng/knng/vectors"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A shape describes a store that build makes.
type shape struct {
	rows, k    int
	ids        bool
	isolated   bool // some rows have no list, and no vector
	referenced bool
	scale      string
	tables     int64 // seed of all numbers
}

const dim = 3

// build makes a finished store of random lists.
func build(t testing.TB, s shape) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(s.tables), 7))
	dir := filepath.Join(t.TempDir(), "s")
	m := store.Manifest{Rows: s.rows, Dim: dim, Type: "uint8", Metric: "euclidean", K: max(1, s.k), Vectors: "copy"}
	if s.scale != "" {
		m.Options = append(m.Options, store.Option{Name: store.ScaleOption, Value: s.scale})
	}
	var order []uint32
	for _, row := range rng.Perm(s.rows) {
		if !s.isolated || row%7 != 3 {
			order = append(order, uint32(row))
		}
	}
	if s.referenced {
		slices.Sort(order)
		m.Vectors, m.Files = "reference", []vectors.File{reference(t, order)}
	}
	d, err := store.OpenDraft(dir, m, nil)
	must(t, err)
	defer d.Close()
	if !s.referenced {
		w, err := d.CreateRows(len(order), dim, vectors.Uint8)
		must(t, err)
		for _, row := range order {
			_, err := w.Write(vector(row))
			must(t, err)
		}
		must(t, w.Commit())
	}
	must(t, d.CommitOrder(order))
	if s.ids {
		var text bytes.Buffer
		for _, i := range rng.Perm(s.rows) {
			fmt.Fprintf(&text, "%s%d\n", strings.Repeat("id ", i%4), i)
		}
		must(t, d.CommitIDs(t.Context(), &text, "ids", s.rows, nil))
	}
	must(t, d.CommitAdjacency(s.k, func(add func([]uint32, []float32) error) error {
		for row := range s.rows {
			if err := add(list(rng, s, row)); err != nil {
				return err
			}
		}
		return nil
	}))
	sum, err := d.Checksum(t.Context())
	must(t, err)
	must(t, d.Seal(t.Context(), map[string]string{"checksum": sum}))
	return dir
}

func vector(row uint32) []byte { return []byte{byte(row), byte(row >> 8), 7} }

// list is a list of random rows in order.
func list(rng *rand.Rand, s shape, row int) (neighbors []uint32, keys []float32) {
	if s.isolated && row%7 == 3 {
		return nil, nil
	}
	for len(neighbors) < s.k {
		if n := uint32(rng.IntN(s.rows)); int(n) != row && !slices.Contains(neighbors, n) {
			neighbors, keys = append(neighbors, n), append(keys, float32(len(keys))+rng.Float32())
		}
	}
	return neighbors, keys
}

// reference writes vectors to a file.
func reference(t testing.TB, order []uint32) vectors.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "vectors.npy")
	head := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d), }", len(order), dim)
	head += strings.Repeat(" ", 127-10-len(head)) + "\n"
	data := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	data = append(data, head...)
	for _, row := range order {
		data = append(data, vector(row)...)
	}
	must(t, os.WriteFile(path, data, 0o666))
	in, err := vectors.Open([]string{path}, nil)
	must(t, err)
	defer in.Close()
	return in.Files[0]
}

// A graph is open by one way or another.
type graph interface {
	Len() int
	K() int
	Neighbors(row reader.Row, buf []reader.Neighbor) ([]reader.Neighbor, error)
	Keyed(row reader.Row, neighbors []uint32, keys []float32) ([]uint32, []float32, error)
	EachKeyed(fn func(row reader.Row, neighbors []uint32, keys []float32) error) error
	ID(row reader.Row) (string, error)
	RowOf(id string) (reader.Row, error)
}

// told is every answer of a graph.
func told(g graph) (string, error) {
	var b strings.Builder
	fmt.Fprintln(&b, g.Len(), g.K())
	for row := range reader.Row(g.Len()) {
		list, err := g.Neighbors(row, nil)
		if err != nil {
			return "", err
		}
		neighbors, keys, err := g.Keyed(row, nil, nil)
		if err != nil {
			return "", err
		}
		id, err := g.ID(row)
		if err != nil && !errors.Is(err, reader.ErrNoID) {
			return "", err
		}
		back, err := g.RowOf(id)
		if err != nil && !errors.Is(err, reader.ErrNoID) {
			return "", err
		}
		fmt.Fprintln(&b, list, neighbors, keys, id, back)
	}
	err := g.EachKeyed(func(row reader.Row, neighbors []uint32, keys []float32) error {
		fmt.Fprintln(&b, row, neighbors, keys)
		return nil
	})
	return b.String(), err
}

// byDatabase is every answer of the store in dir without view and catalog, and its vectors.
func byDatabase(t *testing.T, dir string) (string, map[uint32][]byte) {
	t.Helper()
	plain := filepath.Join(t.TempDir(), "plain")
	must(t, os.CopyFS(plain, os.DirFS(dir)))
	for _, name := range []string{"view", "catalog"} {
		must(t, os.Remove(filepath.Join(plain, name)))
	}
	s, err := store.Open(plain, nil)
	must(t, err)
	defer s.Close()
	text, err := told(s)
	must(t, err)
	in, order, err := s.Vectors()
	must(t, err)
	defer in.Close()
	rows := map[uint32][]byte{}
	for place, row := range order {
		rows[row] = make([]byte, dim)
		must(t, in.ReadRows(place, rows[row]))
	}
	return text, rows
}

// TestAgainstStore: a reader answers as package store does through its database.
func TestAgainstStore(t *testing.T) {
	seed := rand.Int64()
	t.Logf("seed %d", seed)
	for i, s := range []shape{
		{rows: 1, k: 0, ids: true}, {rows: 2, k: 1}, {rows: 16, k: 3, isolated: true}, {rows: 17, k: 3, ids: true},
		{rows: 300, k: 5, ids: true, isolated: true}, {rows: 300, k: 5, referenced: true, ids: true},
		{rows: 200, k: 4, scale: "-70"}, {rows: 2500, k: 2, ids: true, isolated: true},
	} {
		s.tables = seed + int64(i)
		dir := build(t, s)
		want, rows := byDatabase(t, dir)
		r, err := reader.Open(dir)
		must(t, err)
		got, err := told(r)
		must(t, err)
		if got != want {
			t.Errorf("%+v: the reader answers\n%.300s\nwant\n%.300s", s, got, want)
		}
		sameVectors(t, r, rows)
		sameInfo(t, dir, r)
		must(t, r.Close())
		report, err := store.Check(t.Context(), dir, store.CheckOptions{})
		must(t, err)
		for _, fault := range report.Faults {
			if strings.Contains(fault, "catalog") || strings.Contains(fault, "view") {
				t.Errorf("%+v: %s", s, fault)
			}
		}
	}
}

func sameVectors(t *testing.T, r *reader.Reader, rows map[uint32][]byte) {
	t.Helper()
	v, err := r.Vectors()
	must(t, err)
	defer v.Close()
	for row := range r.Len() {
		got, err := v.Row(reader.Row(row), nil)
		want, has := rows[uint32(row)]
		if has && (err != nil || !bytes.Equal(got, want)) || !has && !errors.Is(err, reader.ErrNoVector) {
			t.Errorf("row %d has vector %v, want %v, %v", row, got, want, err)
		}
	}
}

func sameInfo(t *testing.T, dir string, r *reader.Reader) {
	t.Helper()
	s, err := store.Open(dir, nil)
	must(t, err)
	defer s.Close()
	if got, want := fmt.Sprint(r.Info()), fmt.Sprint(s.Info()); got != want {
		t.Errorf("info %s\nwant %s", got, want)
	}
}

// TestErrors: each refusal is the error that is documented.
func TestErrors(t *testing.T) {
	if _, err := reader.Open(filepath.Join(t.TempDir(), "nothing")); !errors.Is(err, reader.ErrNotStore) {
		t.Errorf("nothing: %v", err)
	}
	if _, err := reader.Open(t.TempDir()); !errors.Is(err, reader.ErrNotStore) {
		t.Errorf("an empty folder: %v", err)
	}
	unfinished := filepath.Join(t.TempDir(), "s")
	d, err := store.OpenDraft(unfinished, store.Manifest{Rows: 2, Dim: 1, Type: "uint8", Metric: "euclidean", K: 1, Vectors: "copy"}, nil)
	must(t, err)
	must(t, d.Close())
	if _, err := reader.Open(unfinished); !errors.Is(err, store.ErrNotFinished) {
		t.Errorf("unfinished: %v", err)
	}
	dir := build(t, shape{rows: 50, k: 2})
	r, err := reader.Open(dir)
	must(t, err)
	v, err := r.Vectors()
	must(t, err)
	_, err = r.Neighbors(50, nil)
	_, noVector := v.Row(50, nil)
	_, noID := r.ID(3)
	_, noRow := r.RowOf("owl")
	if !errors.Is(err, reader.ErrNoRow) || !errors.Is(noVector, store.ErrNoRow) || !errors.Is(noID, reader.ErrNoID) || !errors.Is(noRow, store.ErrNoID) {
		t.Errorf("%v, %v, %v, %v", err, noVector, noID, noRow)
	}
	must(t, errors.Join(v.Close(), v.Close()))
	if _, err := v.Row(5, nil); !errors.Is(err, reader.ErrClosed) {
		t.Errorf("closed vectors of an open reader: %v", err)
	}
	must(t, errors.Join(r.Close(), r.Close()))
	_, err = r.Neighbors(5, nil)
	if _, noVectors := r.Vectors(); !errors.Is(err, reader.ErrClosed) || !errors.Is(noVectors, store.ErrClosed) {
		t.Errorf("closed: %v, %v", err, noVectors)
	}
}

// TestMadeAgain: without catalog or view the error names the command, and store.BuildView
// makes both again to the byte.
func TestMadeAgain(t *testing.T) {
	dir := build(t, shape{rows: 50, k: 2, ids: true})
	for _, name := range []string{"view", "catalog"} {
		path := filepath.Join(dir, name)
		want, err := os.ReadFile(path)
		must(t, err)
		must(t, os.Remove(path))
		if _, err := reader.Open(dir); !errors.Is(err, reader.ErrNoCatalog) || !strings.Contains(err.Error(), "knng analyze --view "+dir) {
			t.Errorf("%s: %v", name, err)
		}
		must(t, store.BuildView(t.Context(), dir))
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is another file: %v", name, err)
		}
	}
}

// TestSpoiled: whatever was done to a file, a reader answers as before or fails, and never
// opens a link.
func TestSpoiled(t *testing.T) {
	dir, other := build(t, shape{rows: 120, k: 3, ids: true}), build(t, shape{rows: 120, k: 3, ids: true, tables: 1})
	want, _ := byDatabase(t, dir)
	spoil := map[string]func(path, same string) error{
		"gone":      func(path, _ string) error { return os.Remove(path) },
		"a folder":  func(path, _ string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o777)) },
		"cut":       func(path, _ string) error { return os.Truncate(path, size(path)/2) },
		"empty":     func(path, _ string) error { return os.Truncate(path, 0) },
		"longer":    func(path, _ string) error { return os.Truncate(path, size(path)+4096) },
		"flipped":   func(path, _ string) error { return flip(path, size(path)/2) },
		"flipped 1": func(path, _ string) error { return flip(path, size(path)/3) },
		"another's": func(path, same string) error {
			data, err := os.ReadFile(same)
			if err != nil {
				return nil // the other store numbers its files otherwise
			}
			return os.WriteFile(path, data, 0o666)
		},
		"a link": func(path, same string) error {
			return errors.Join(os.Rename(path, path+"-elsewhere"), os.Symlink(filepath.Base(path)+"-elsewhere", path))
		},
	}
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if err != nil || e.IsDir() || strings.HasPrefix(rel, "scratch") {
			return err
		}
		for name, do := range spoil {
			spoiled := filepath.Join(t.TempDir(), "s")
			must(t, os.CopyFS(spoiled, os.DirFS(dir)))
			must(t, do(filepath.Join(spoiled, rel), filepath.Join(other, rel)))
			r, err := reader.Open(spoiled)
			got := ""
			if err == nil {
				got, err = told(r)
				must(t, r.Close())
			}
			if err == nil && got != want {
				t.Errorf("%s %s: other answers and no error", rel, name)
			}
			if err == nil && name == "a link" {
				t.Errorf("%s: a link was opened", rel)
			}
		}
		return nil
	}))
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

func flip(path string, at int64) error {
	data, err := os.ReadFile(path)
	if err != nil || len(data) == 0 {
		return err
	}
	data[at] ^= 16
	return os.WriteFile(path, data, 0o666)
}

// TestTruncatedWhileOpen: a table that is cut while it is mapped is an error.
func TestTruncatedWhileOpen(t *testing.T) {
	dir := build(t, shape{rows: 3000, k: 8, ids: true})
	r, err := reader.Open(dir)
	must(t, err)
	defer r.Close()
	for _, path := range append(tables(t, dir), filepath.Join(dir, "catalog")) {
		if size(path) > 16<<10 {
			must(t, os.Truncate(path, 4096))
		}
	}
	if _, err := r.Neighbors(2999, nil); !errors.Is(err, vectors.ErrFault) {
		t.Errorf("row 2999: %v", err)
	}
	if _, err := r.ID(2999); !errors.Is(err, vectors.ErrFault) {
		t.Errorf("id of row 2999: %v", err)
	}
}

func tables(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "graph", "*.sst"))
	must(t, err)
	return list
}

// TestConcurrently: goroutines touch the same blocks for the first time.
func TestConcurrently(t *testing.T) {
	dir := build(t, shape{rows: 1000, k: 4, ids: true})
	want, _ := byDatabase(t, dir)
	r, err := reader.Open(dir)
	must(t, err)
	var g sync.WaitGroup
	for range 4 {
		g.Go(func() {
			if got, err := told(r); err != nil || got != want {
				t.Errorf("other answers, %v", err)
			}
		})
	}
	g.Wait()
	must(t, r.Close())
}

// TestAllocations: lookups in buffers that are large enough allocate nothing.
func TestAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	r, err := reader.Open(build(t, shape{rows: 500, k: 4, ids: true}))
	must(t, err)
	defer r.Close()
	v, err := r.Vectors()
	must(t, err)
	defer v.Close()
	list, neighbors, keys, text := make([]reader.Neighbor, 0, 4), make([]uint32, 0, 4), make([]float32, 0, 4), make([]byte, 0, 100)
	id, err := r.ID(77)
	must(t, err)
	row := reader.Row(0)
	allocations := testing.AllocsPerRun(300, func() {
		row = (row + 37) % 500
		_, err1 := r.Neighbors(row, list)
		_, _, err2 := r.Keyed(row, neighbors, keys)
		_, err3 := r.AppendID(text, row)
		found, err4 := r.RowOf(id)
		_, err5 := v.Row(row, text)
		if err := errors.Join(err1, err2, err3, err4, err5); err != nil || found != 77 {
			t.Fatal(found, err)
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations, want none", allocations)
	}
}

func BenchmarkReader(b *testing.B) {
	r, err := reader.Open(build(b, shape{rows: 20_000, k: 20, ids: true}))
	must(b, err)
	defer r.Close()
	ids := make([]string, r.Len())
	for row := range ids {
		ids[row], err = r.ID(reader.Row(row))
		must(b, err)
	}
	list, text := make([]reader.Neighbor, 0, 20), make([]byte, 0, 100)
	rng := rand.New(rand.NewPCG(1, 1))
	b.Run("neighbors", func(b *testing.B) {
		for b.Loop() {
			_, err := r.Neighbors(reader.Row(rng.IntN(len(ids))), list)
			must(b, err)
		}
	})
	b.Run("id", func(b *testing.B) {
		for b.Loop() {
			_, err := r.AppendID(text, reader.Row(rng.IntN(len(ids))))
			must(b, err)
		}
	})
	b.Run("row of id", func(b *testing.B) {
		for b.Loop() {
			_, err := r.RowOf(ids[rng.IntN(len(ids))])
			must(b, err)
		}
	})
}

// TestOtherFormats: a manifest of another format is refused, and the error names both versions.
func TestOtherFormats(t *testing.T) {
	m := reader.Manifest{Format: reader.FormatVersion, Rows: 1, Dim: 1, K: 1, Type: "float32", Metric: "euclidean", Vectors: "copy"}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	for _, m.Format = range []int{-1, 0, reader.FormatVersion + 1} {
		err := m.Check()
		want := fmt.Sprintf("it is format %d, this version reads %d", m.Format, reader.FormatVersion)
		if !errors.Is(err, reader.ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("format %d: %v, want %q", m.Format, err, want)
		}
	}
}

// opens are the ways to open a store.
var opens = map[string]func(dir string) (io.Closer, error){
	"store.Open":        func(dir string) (io.Closer, error) { return store.Open(dir, nil) },
	"reader.Open":       func(dir string) (io.Closer, error) { return reader.Open(dir) },
	"living.OpenReader": func(dir string) (io.Closer, error) { return living.OpenReader(dir, nil) },
}

// TestAbsent: an absent folder is fs.ErrNotExist, for programs that build a store then; a store that lost a file is not.
func TestAbsent(t *testing.T) {
	dir, empty := build(t, shape{rows: 50, k: 3}), t.TempDir()
	s, err := store.Open(dir, nil)
	must(t, err)
	files := s.Info().Files
	must(t, s.Close())
	for name, open := range opens {
		if _, err := open(filepath.Join(empty, "absent")); !errors.Is(err, store.ErrNotStore) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s of nothing: %v", name, err)
		}
		if _, err := open(empty); !errors.Is(err, store.ErrNotStore) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s of an empty folder: %v", name, err)
		}
		for _, f := range files {
			path := filepath.Join(dir, filepath.FromSlash(f.Path))
			must(t, os.Rename(path, filepath.Join(empty, "kept")))
			if _, err := open(dir); !errors.Is(err, store.ErrCorrupt) || errors.Is(err, store.ErrNotStore) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s without %s: %v", name, f.Path, err)
			}
			must(t, os.Rename(filepath.Join(empty, "kept"), path))
		}
	}
}
