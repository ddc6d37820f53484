package sparsesearch_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/postings"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/sparsesearch"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/sparse"
)

// save writes rows as SciPy writes a CSR matrix.
func save(path string, columns int, rows []sparsesearch.Vector) error {
	indptr, indices, data := []int32{0}, []uint32{}, []float32{}
	for _, row := range rows {
		indices, data = append(indices, row.Columns...), append(data, row.Values...)
		indptr = append(indptr, int32(len(indices)))
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, a := range []struct {
		name, descr string
		n           int
		data        any
	}{{"shape", "<i4", 2, []int32{int32(len(rows)), int32(columns)}}, {"indptr", "<i4", len(indptr), indptr},
		{"indices", "<i4", len(indices), indices}, {"data", "<f4", len(data), data}} {
		w, err := z.Create(a.name + ".npy")
		if err != nil {
			return err
		}
		head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }\n", a.descr, a.n)
		fmt.Fprintf(w, "\x93NUMPY\x01\x00%s%s", binary.LittleEndian.AppendUint16(nil, uint16(len(head))), head)
		if err := binary.Write(w, binary.LittleEndian, a.data); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// built builds the graph of rows in a folder.
func built(folder string, columns int, rows []sparsesearch.Vector, metric distance.Metric, k int) (*store.Store, error) {
	file, dir := filepath.Join(folder, "x.npz"), filepath.Join(folder, "x.knng")
	if err := save(file, columns, rows); err != nil {
		return nil, err
	}
	src, err := sparse.Open(file, 0)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	_, err = postings.Build(context.Background(), dir, src, builder.Options{K: k, Metric: metric, BadRows: builder.Isolate})
	if err != nil {
		return nil, err
	}
	return store.Open(dir, nil)
}

func opened(t *testing.T, columns int, rows []sparsesearch.Vector, metric distance.Metric, opts *sparsesearch.Options) (*store.Store, *sparsesearch.Searcher) {
	t.Helper()
	g, err := built(t.TempDir(), columns, rows, metric, 7)
	if err != nil {
		t.Fatal(err)
	}
	s, err := sparsesearch.Open(g, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); g.Close() })
	return g, s
}

// texts are rows of words of which a few are frequent; some rows are copies, and some empty.
func texts(rng *rand.Rand, n, columns int, signed bool) []sparsesearch.Vector {
	rows := make([]sparsesearch.Vector, n)
	for i := range rows {
		switch rng.IntN(10) {
		case 0:
			if i > 0 {
				rows[i] = rows[rng.IntN(i)]
				continue
			}
		case 1:
			if rng.IntN(4) == 0 {
				continue
			}
		}
		words := map[uint32]float32{}
		for range 1 + rng.IntN(12) {
			v := float32(1+rng.IntN(4)) / 2
			if signed && rng.IntN(2) == 0 {
				v = -v
			}
			words[uint32(float64(columns)*math.Pow(rng.Float64(), 3))] = v
		}
		for c := range uint32(columns) {
			if v, ok := words[c]; ok {
				rows[i].Columns, rows[i].Values = append(rows[i].Columns, c), append(rows[i].Values, v)
			}
		}
	}
	return rows
}

// oracle compares a query with all rows, by dense products.
func oracle(rows []sparsesearch.Vector, columns int, metric distance.Metric, v sparsesearch.Vector, q sparsesearch.Query) []store.Neighbor {
	dense := make([]float64, columns)
	for i, c := range v.Columns {
		dense[c] = float64(v.Values[i])
	}
	all := []store.Neighbor{}
	for row, y := range rows {
		norm := sparse.Norm(y.Values)
		if metric == distance.Cosine && norm == 0 || q.Keep != nil && !q.Keep(store.Row(row)) {
			continue
		}
		dot := 0.0
		for i, c := range y.Columns {
			dot += dense[c] * float64(y.Values[i])
		}
		d := distance.OfProduct(metric, dot, sparse.Norm(v.Values), norm)
		if q.Within == nil || d <= *q.Within {
			all = append(all, store.Neighbor{Row: store.Row(row), Distance: d})
		}
	}
	slices.SortStableFunc(all, func(a, b store.Neighbor) int {
		switch {
		case a.Distance < b.Distance:
			return -1
		case a.Distance > b.Distance:
			return 1
		}
		return 0
	})
	if q.K > 0 {
		all = all[:min(q.K, len(all))]
	}
	return all
}

// TestSearch: results are those of comparing every row, to the bit, for both metrics, all
// kinds of queries, and any number of threads and queries.
func TestSearch(t *testing.T) {
	seed := uint64(rand.Int64())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	within := func(d float32) *float32 { return &d }
	for _, metric := range []distance.Metric{distance.Cosine, distance.IP} {
		columns := 5 + rng.IntN(300)
		rows := texts(rng, 500+rng.IntN(5000), columns, rng.IntN(2) == 0)
		_, s := opened(t, columns, rows, metric, &sparsesearch.Options{Threads: 1 + rng.IntN(4)})
		var queries []sparsesearch.Vector
		for _, v := range texts(rng, 1100, columns, true) {
			if len(v.Columns) > 0 {
				queries = append(queries, v)
			}
		}
		for _, q := range []sparsesearch.Query{
			{K: 1}, {K: 9}, {K: 20_000}, {Within: within(0.2)}, {Within: within(-1), K: 3}, {Within: within(0), K: 50},
			{K: 5, Keep: func(r store.Row) bool { return r%3 == 1 }}, {Within: within(0.5), Keep: func(r store.Row) bool { return r > 400 }},
		} {
			some := queries[:1+rng.IntN(4)]
			if q.K == 9 {
				some = queries // more than a pass has
			}
			found, err := s.SearchAll(context.Background(), some, q)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(some); i += max(1, len(some)/4) {
				want := oracle(rows, columns, metric, some[i], q)
				if len(found[i]) != len(want) || len(want) > 0 && !reflect.DeepEqual(found[i], want) {
					t.Fatalf("%v %+v, query %d of %d: found %d %v\nwant %d %v", metric, q, i, len(some), len(found[i]), head(found[i]), len(want), head(want))
				}
			}
		}
	}
}

func head(list []store.Neighbor) []store.Neighbor { return list[:min(12, len(list))] }

// TestGraph: a search for a row of the store finds its list, after the row itself and its copies.
func TestGraph(t *testing.T) {
	rows := texts(rand.New(rand.NewPCG(3, 4)), 800, 90, true)
	g, s := opened(t, 90, rows, distance.Cosine, nil)
	for row := range store.Row(len(rows)) {
		list, err := g.Neighbors(row, nil)
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Row(row)
		if len(list) == 0 {
			if !errors.Is(err, store.ErrNoRow) {
				t.Fatalf("row %d, which is isolated: %v", row, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		found, err := s.Search(v, sparsesearch.Query{K: g.K(), Keep: func(r store.Row) bool { return r != row }})
		if err != nil || !slices.Equal(found, list) {
			t.Fatalf("row %d: found %v, its list is %v: %v", row, found, list, err)
		}
	}
}

// TestRefuse: queries without an answer are named.
func TestRefuse(t *testing.T) {
	rows := texts(rand.New(rand.NewPCG(5, 6)), 50, 20, false)
	_, cosine := opened(t, 20, rows, distance.Cosine, nil)
	_, ip := opened(t, 20, rows, distance.IP, nil)
	nan, huge := float32(math.NaN()), float32(math.MaxFloat32)
	one := sparsesearch.Vector{Columns: []uint32{1}, Values: []float32{1}}
	for _, c := range []struct {
		s *sparsesearch.Searcher
		v sparsesearch.Vector
		q sparsesearch.Query
	}{
		{cosine, sparsesearch.Vector{}, sparsesearch.Query{K: 1}},
		{cosine, sparsesearch.Vector{Columns: []uint32{2}, Values: []float32{0}}, sparsesearch.Query{K: 1}},
		{cosine, sparsesearch.Vector{Columns: []uint32{20}, Values: []float32{1}}, sparsesearch.Query{K: 1}},
		{cosine, sparsesearch.Vector{Columns: []uint32{3, 3}, Values: []float32{1, 1}}, sparsesearch.Query{K: 1}},
		{cosine, sparsesearch.Vector{Columns: []uint32{3}}, sparsesearch.Query{K: 1}},
		{cosine, sparsesearch.Vector{Columns: []uint32{3}, Values: []float32{nan}}, sparsesearch.Query{K: 1}},
		{ip, sparsesearch.Vector{Columns: []uint32{3}, Values: []float32{huge}}, sparsesearch.Query{K: 1}},
		{ip, one, sparsesearch.Query{}},
		{ip, one, sparsesearch.Query{K: -1}},
		{ip, one, sparsesearch.Query{Within: &nan}},
	} {
		if _, err := c.s.Search(c.v, c.q); !errors.Is(err, sparsesearch.ErrQuery) {
			t.Errorf("%v %+v: %v", c.v, c.q, err)
		}
	}
	if found, err := ip.Search(sparsesearch.Vector{}, sparsesearch.Query{K: 2}); err != nil || len(found) != 2 {
		t.Errorf("zeros under ip: %v, %v", found, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := ip.SearchAll(ctx, []sparsesearch.Vector{one}, sparsesearch.Query{K: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestClosed: Close waits for a query, and later calls are refused.
func TestClosed(t *testing.T) {
	rows := texts(rand.New(rand.NewPCG(7, 8)), 50, 20, false)
	_, s := opened(t, 20, rows, distance.IP, &sparsesearch.Options{Threads: 1})
	one := sparsesearch.Vector{Columns: []uint32{1}, Values: []float32{1}}
	row := func() error { _, err := s.Row(3); return err }
	closed := make(chan error, 1)
	found, err := s.Search(one, sparsesearch.Query{K: 1, Keep: func(store.Row) bool {
		if row() == nil {
			go func() { closed <- s.Close() }()
		}
		for !errors.Is(row(), store.ErrClosed) {
			runtime.Gosched()
		}
		if len(closed) > 0 {
			t.Error("Close did not wait")
		}
		return true
	}})
	if err != nil || len(found) != 1 {
		t.Errorf("found %v, %v", found, err)
	}
	if err := errors.Join(<-closed, s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := s.Search(one, sparsesearch.Query{K: 1}); !errors.Is(err, store.ErrClosed) || !errors.Is(row(), store.ErrClosed) {
		t.Errorf("closed: %v, %v", err, row())
	}
}

func Example() {
	folder, _ := os.MkdirTemp("", "sparsesearch")
	defer os.RemoveAll(folder)
	rows := []sparsesearch.Vector{
		{Columns: []uint32{0, 2}, Values: []float32{1, 1}},
		{Columns: []uint32{2, 3}, Values: []float32{1, 2}},
		{Columns: []uint32{1}, Values: []float32{3}},
	}
	g, err := built(folder, 5, rows, distance.IP, 2) // as knng build rows.npz -k 2 --metric ip does
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	s, err := sparsesearch.Open(g, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	fmt.Println(s.Search(sparsesearch.Vector{Columns: []uint32{2, 3}, Values: []float32{4, 1}}, sparsesearch.Query{K: 2}))
	// Output: [{1 -6} {0 -4}] <nil>
}
