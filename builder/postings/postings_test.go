package postings

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/sparse"
)

// save writes rows as SciPy writes a CSR matrix, and opens it.
func save(t testing.TB, columns int, rows [][]float32) *sparse.Source {
	t.Helper()
	indptr, indices, data := []int32{0}, []int32{}, []float32{}
	for _, row := range rows {
		for c, v := range row {
			if v != 0 {
				indices, data = append(indices, int32(c)), append(data, v)
			}
		}
		indptr = append(indptr, int32(len(indices)))
	}
	path := filepath.Join(t.TempDir(), "x.npz")
	f, err := os.Create(path)
	must(t, err)
	z := zip.NewWriter(f)
	for _, a := range []struct {
		name, descr string
		n           int
		data        any
	}{{"shape", "<i4", 2, []int32{int32(len(rows)), int32(columns)}}, {"indptr", "<i4", len(indptr), indptr},
		{"indices", "<i4", len(indices), indices}, {"data", "<f4", len(data), data}} {
		w, err := z.Create(a.name + ".npy")
		must(t, err)
		head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }\n", a.descr, a.n)
		var b bytes.Buffer
		b.WriteString("\x93NUMPY\x01\x00")
		binary.Write(&b, binary.LittleEndian, uint16(len(head)))
		b.WriteString(head)
		binary.Write(&b, binary.LittleEndian, a.data)
		w.Write(b.Bytes())
	}
	must(t, z.Close())
	must(t, f.Close())
	s, err := sparse.Open(path, 0)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// texts are rows of words by Zipf's law, some of them copies, one with a word alone.
func texts(rng *rand.Rand, n, columns int, signed bool) [][]float32 {
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = make([]float32, columns)
		for range 3 + rng.IntN(20) {
			c := min(columns-2, int(math.Exp(rng.Float64()*math.Log(float64(columns)))))
			rows[i][c] = float32(math.Log(float64(c+2)) * (0.5 + rng.Float64()))
			if signed && rng.IntN(2) == 0 {
				rows[i][c] = -rows[i][c]
			}
		}
		if i%17 == 16 {
			rows[i] = rows[i-5]
		}
	}
	rows[n/2] = make([]float32, columns)
	rows[n/2][columns-1] = 2
	return rows
}

// key is the definition over all columns.
func key(m distance.Metric, x, y []float32) float32 {
	var xy, xx, yy float64
	for c := range x {
		xy += float64(x[c]) * float64(y[c])
		xx += float64(x[c]) * float64(x[c])
		yy += float64(y[c]) * float64(y[c])
	}
	if m == distance.IP {
		return float32(0 - xy)
	}
	return float32(min(max(1-xy/(math.Sqrt(xx)*math.Sqrt(yy)), 0), 2))
}

type neighbor struct {
	row uint32
	key float32
}

// oracle is the exact list of a row, of the rows that are in the graph.
func oracle(m distance.Metric, rows [][]float32, in func(row int) bool, row, k int) (list []neighbor) {
	for y := range rows {
		if y != row && in(y) {
			list = append(list, neighbor{uint32(y), key(m, rows[row], rows[y])})
		}
	}
	slices.SortFunc(list, func(a, b neighbor) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row)) })
	return list[:min(k, len(list))]
}

func compareWithOracle(t *testing.T, dir string, m distance.Metric, rows [][]float32, in func(int) bool, k int) {
	t.Helper()
	s, err := store.Open(dir, nil)
	must(t, err)
	defer s.Close()
	for row := range rows {
		ids, keys, err := s.Keyed(store.Row(row), nil, nil)
		must(t, err)
		var want []neighbor
		if in(row) {
			want = oracle(m, rows, in, row, k)
		}
		if len(ids) != len(want) {
			t.Fatalf("row %d: %d neighbors, want %d", row, len(ids), len(want))
		}
		for i, w := range want {
			if ids[i] != w.row || keys[i] != w.key {
				t.Fatalf("row %d, entry %d: row %d at %v, want %d at %v", row, i, ids[i], keys[i], w.row, w.key)
			}
		}
	}
	report, err := store.Check(context.Background(), dir, store.CheckOptions{Full: true})
	if err != nil || !report.OK() {
		t.Errorf("check: %+v, %v", report, err)
	}
	est, err := MeasureRecall(context.Background(), s, 40, 1, nil)
	if err != nil || est.Recall != 1 {
		t.Errorf("recall %+v, %v", est, err)
	}
	if est, err := MeasureRecall(context.Background(), s, -1, 1, nil); err == nil || est.Recall != 0 {
		t.Errorf("recall of -1 rows %+v, %v", est, err)
	}
}

func all(int) bool { return true }

// TestLists: lists are those of comparing all columns of all pairs, to the bit.
func TestLists(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, m := range []distance.Metric{distance.Cosine, distance.IP} {
		for _, n := range []int{2, 5, 70, 300} {
			rows := texts(rng, n, 60+rng.IntN(200), rng.IntN(2) == 0)
			dir := filepath.Join(t.TempDir(), "g")
			k := 1 + rng.IntN(12)
			_, err := Build(context.Background(), dir, save(t, len(rows[0]), rows), builder.Options{K: k, Metric: m, Threads: 1 + rng.IntN(3)})
			must(t, err)
			compareWithOracle(t, dir, m, rows, all, k)
		}
	}
}

// TestBounds: with columns left out, lists and keys are those of the definition, with
// slabs of any size; and columns are left out.
func TestBounds(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	for _, m := range []distance.Metric{distance.Cosine, distance.IP} {
		rows := texts(rng, 300, 200, m == distance.IP)
		for i := 0; i < 300; i += 2 { // pairs that are near, so that bounds exclude the rest
			rows[i+1] = slices.Clone(rows[i])
			rows[i+1][rng.IntN(200)] += 0.1
		}
		for _, slab := range []int{1, 37, 1000} {
			dir := filepath.Join(t.TempDir(), "g")
			var products float64
			opts := builder.Options{K: 1, Metric: m, Progress: func(e builder.Event) {
				if _, err := fmt.Sscanf(e.Message, "all pairs compared by %g", &products); err == nil && slab == 37 && m == distance.Cosine {
					t.Log(e.Message)
				}
			}}
			r, err := started(dir, save(t, 200, rows), opts)
			must(t, err)
			r.slabRows = slab
			_, err = r.build()
			r.release()
			must(t, errors.Join(err, r.Draft.Close()))
			compareWithOracle(t, dir, m, rows, all, 1)
			if most := r.index.products; slab == 37 && m == distance.Cosine && products > 0.9*most {
				t.Errorf("%.3g products of %.3g: nothing is left out", products, most)
			}
		}
	}
}

// started is a build as Build begins it.
func started(dir string, src *sparse.Source, o builder.Options) (*run, error) {
	o = defaults(o)
	m, err := manifestOf(src, &o)
	if err != nil {
		return nil, err
	}
	d, err := store.OpenDraft(dir, m, nil)
	if err != nil {
		return nil, err
	}
	return newRun(context.Background(), d, src, o), nil
}

// TestBadRows: rows that have no distances are refused, left out or isolated.
func TestBadRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), 3))
	rows := texts(rng, 60, 40, false)
	rows[7] = make([]float32, 40)
	rows[20] = slices.Clone(rows[20])
	rows[20][11] = float32(math.NaN())
	build := func(dir string, o builder.Options) error {
		o.K, o.Metric = 4, distance.Cosine
		_, err := Build(context.Background(), dir, save(t, 40, rows), o)
		return err
	}
	dir := filepath.Join(t.TempDir(), "g")
	err := build(dir, builder.Options{})
	if !errors.Is(err, builder.ErrBadRows) || !strings.Contains(err.Error(), "2 of 60 rows, first row 7 of ") {
		t.Fatal(err)
	}
	if state, err := store.StateOf(dir); state != store.Absent || err != nil {
		t.Errorf("after bad rows the directory is %s, %v", state, err)
	}
	in := func(row int) bool { return row != 7 && row != 20 }
	must(t, build(dir, builder.Options{BadRows: builder.Isolate}))
	compareWithOracle(t, dir, distance.Cosine, rows, in, 4)
	must(t, build(filepath.Join(dir, "../dropped"), builder.Options{BadRows: builder.Drop}))
	rows = slices.Delete(slices.Delete(rows, 20, 21), 7, 8)
	compareWithOracle(t, filepath.Join(dir, "../dropped"), distance.Cosine, rows, all, 4)

	rows[3] = slices.Clone(rows[3])
	rows[3][11] = float32(math.Inf(-1))
	if err := build(filepath.Join(t.TempDir(), "g"), builder.Options{}); !errors.Is(err, builder.ErrBadRows) || !strings.Contains(err.Error(), "x.npz: it has the value -Inf in column 11") {
		t.Error(err)
	}
	for i := range rows {
		rows[i] = make([]float32, 40)
	}
	if err := build(filepath.Join(t.TempDir(), "g"), builder.Options{BadRows: builder.Drop}); !errors.Is(err, builder.ErrBadRows) {
		t.Error(err)
	}
	if _, err := Build(context.Background(), filepath.Join(t.TempDir(), "g"), save(t, 4, nil), builder.Options{Metric: distance.IP}); err == nil || !strings.Contains(err.Error(), "no rows") {
		t.Error(err)
	}
}

// TestEmptyUnderIP: rows without values are like any others where they have distances.
func TestEmptyUnderIP(t *testing.T) {
	rows := texts(rand.New(rand.NewPCG(rand.Uint64(), 4)), 50, 30, true)
	rows[3], rows[9] = make([]float32, 30), make([]float32, 30)
	dir := filepath.Join(t.TempDir(), "g")
	_, err := Build(context.Background(), dir, save(t, 30, rows), builder.Options{K: 5, Metric: distance.IP})
	must(t, err)
	compareWithOracle(t, dir, distance.IP, rows, all, 5)
	for i := range rows {
		rows[i] = make([]float32, 30)
	}
	dir = filepath.Join(t.TempDir(), "g")
	_, err = Build(context.Background(), dir, save(t, 30, rows), builder.Options{K: 5, Metric: distance.IP})
	must(t, err)
	compareWithOracle(t, dir, distance.IP, rows, all, 5)
}

// TestResumes: a build that was stopped anywhere ends as one that was not, to the bit.
func TestResumes(t *testing.T) {
	rows := texts(rand.New(rand.NewPCG(rand.Uint64(), 5)), 1500, 100, false)
	src := save(t, 100, rows)
	opts := builder.Options{K: 5, Metric: distance.Cosine, Threads: 1}
	whole, err := Build(context.Background(), filepath.Join(t.TempDir(), "g"), src, opts)
	must(t, err)
	dir := filepath.Join(t.TempDir(), "g")
	resumed, why := 0, errors.New("enough")
	for stop := 1; ; stop++ {
		ctx, cancel := context.WithCancelCause(context.Background())
		events := 0
		opts.Threads = 1 + stop%3
		opts.Progress = func(e builder.Event) {
			if events++; events == stop*stop {
				cancel(why)
			}
		}
		res, err := Build(ctx, dir, src, opts)
		cancel(nil)
		if err == nil {
			resumed = res.Resumed
			if res.Checksum != whole.Checksum {
				t.Errorf("checksum %s after %d runs, want %s", res.Checksum, stop, whole.Checksum)
			}
			break
		}
		if !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
			t.Fatalf("%v, want that it was canceled, and why", err)
		}
	}
	if resumed == 0 {
		t.Error("nothing was resumed")
	}
	opts.Progress = nil
	res, err := Build(context.Background(), dir, src, opts)
	if !errors.Is(err, store.ErrFinished) || res.Checksum != whole.Checksum {
		t.Errorf("given again: %v", err)
	}
	opts.K = 6
	if _, err := Build(context.Background(), dir, src, opts); !errors.Is(err, store.ErrMismatch) {
		t.Errorf("another k: %v", err)
	}
}

// TestRefused: options that sparse rows do not have are refused at once, and a limit that is too low.
func TestRefused(t *testing.T) {
	src := save(t, 30, texts(rand.New(rand.NewPCG(1, 6)), 50, 30, false))
	for want, o := range map[string]builder.Options{
		"Metric is euclidean, want cosine or ip for sparse rows": {Metric: distance.Euclidean},
		`Method is "paper", want auto or exact`:                  {Metric: distance.Cosine, Method: builder.Paper},
		"the store copies sparse rows":                           {Metric: distance.Cosine, Reference: true},
		`Duplicates is "collapse", want keep`:                    {Metric: distance.Cosine, Duplicates: builder.Collapse},
		"Divisions is 3, want none":                              {Metric: distance.Cosine, Divisions: 3},
	} {
		dir := filepath.Join(t.TempDir(), "g")
		_, err := Build(context.Background(), dir, src, o)
		if !errors.Is(err, store.ErrSparse) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: something was made", want)
		}
	}
	dir := filepath.Join(t.TempDir(), "g")
	_, err := Build(context.Background(), dir, src, builder.Options{Metric: distance.Cosine, Memory: 1 << 20})
	if !errors.Is(err, builder.ErrMemory) {
		t.Error(err)
	}
	if _, err := Build(context.Background(), dir, src, builder.Options{Metric: distance.Cosine}); err != nil {
		t.Errorf("with memory: %v", err)
	}
	s, err := store.Open(dir, nil)
	must(t, err)
	defer s.Close()
	if _, _, err := s.Vectors(); !errors.Is(err, store.ErrSparse) {
		t.Errorf("vectors of sparse rows: %v", err)
	}
	if _, err := builder.MeasureRecall(context.Background(), s, 10, 1, nil); !errors.Is(err, store.ErrSparse) {
		t.Errorf("recall by vectors: %v", err)
	}
}

// TestIDs: ids of the rows that remain.
func TestIDs(t *testing.T) {
	rows := texts(rand.New(rand.NewPCG(1, 7)), 30, 20, false)
	rows[4] = make([]float32, 20)
	ids := filepath.Join(t.TempDir(), "ids")
	var lines []string
	for i := range rows {
		lines = append(lines, fmt.Sprintf("doc %d", i))
	}
	must(t, os.WriteFile(ids, []byte(strings.Join(lines, "\n")), 0o666))
	dir := filepath.Join(t.TempDir(), "g")
	_, err := Build(context.Background(), dir, save(t, 20, rows), builder.Options{K: 3, Metric: distance.Cosine, IDs: ids, BadRows: builder.Drop})
	must(t, err)
	s, err := store.Open(dir, nil)
	must(t, err)
	defer s.Close()
	if id, err := s.ID(4); id != "doc 5" || err != nil {
		t.Errorf("row 4 is %q, %v", id, err)
	}
}

// TestPlan: the index and the rows are planned as they come, and a limit that is planned
// suffices.
func TestPlan(t *testing.T) {
	src := save(t, 100, texts(rand.New(rand.NewPCG(1, 8)), 400, 100, false))
	p, err := Plan(context.Background(), src, builder.Options{K: 5, Metric: distance.Cosine, Threads: 1})
	must(t, err)
	if p.Rows != 400 || p.Method != "exact" || p.Seconds <= 0 || p.LeastBytes != p.PeakAnonBytes {
		t.Errorf("%+v", p)
	}
	_, err = Build(context.Background(), filepath.Join(t.TempDir(), "g"), src, builder.Options{K: 5, Metric: distance.Cosine, Memory: p.LeastBytes})
	must(t, err)
}

func Example() {
	src, err := sparse.Open("../../vectors/sparse/testdata/small.npz", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	res, err := Build(context.Background(), filepath.Join(dir, "g"), src, builder.Options{K: 1, Metric: distance.IP})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Rows, "rows of", res.Dim, "columns,", res.Stop)
	// Output: 3 rows of 5 columns, all pairs compared
}
