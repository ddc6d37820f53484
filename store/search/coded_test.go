package search_test

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

const codedRows, codedDim, codedQueries = 2000, 16, 40

// codesBudget holds codes of the rows, and neither rows nor links.
const codesBudget = 14 * codedRows

// TestCodes: where memory holds codes alone, most results are found, with the distances of the
// rows, by fewer pages than without, where a read has four; under every metric that codes estimate, and filtered.
func TestCodes(t *testing.T) {
	for _, c := range []struct {
		metric distance.Metric
		typ    vectors.Type
	}{{distance.Euclidean, vectors.Uint8}, {distance.SqEuclidean, vectors.Float32}, {distance.Cosine, vectors.Float32},
		{distance.IP, vectors.Float32}, {distance.L1, vectors.Uint8}, {distance.Correlation, vectors.Float16}} {
		t.Run(c.metric.String(), func(t *testing.T) {
			data := values(5, codedRows, codedDim)
			w := worldOf(t, data[:(codedRows-codedQueries)*codedDim], codedDim, c.typ, c.metric, builder.Options{K: 10}, nil)
			few := w.reopen(t, &search.Options{Budget: codesBudget})
			if s := few.State(); s.Codes != codedDim/4 {
				t.Fatalf("%+v: want codes", s)
			}
			plain := w.reopen(t, &search.Options{Budget: 1})
			keep := func(row store.Row) bool { return row%3 != 0 }
			found, kept := 0.0, 0.0
			for i := range codedQueries {
				q := data[(codedRows-codedQueries+i)*codedDim:][:codedDim]
				found += w.recall(t, few, q, search.Query{K: 10, Effort: 64})
				kept += w.recall(t, few, q, search.Query{K: 10, Effort: 64, Keep: keep})
				if _, err := plain.Search(q, search.Query{K: 10, Effort: 64}); err != nil {
					t.Fatal(err)
				}
			}
			if found < 0.95*codedQueries || kept < 0.93*codedQueries {
				t.Errorf("recall %.3f, filtered %.3f", found/codedQueries, kept/codedQueries)
			}
			if c := few.Counts(); c.Estimates == 0 || c.Reads/2 >= 4*plain.Counts().Reads {
				t.Errorf("%+v, without codes %+v", c, plain.Counts())
			}
		})
	}
}

// TestCodesOfIslands: a walk by codes that begins in several islands, which share blocks of places,
// returns no row twice, and as many as are there.
func TestCodesOfIslands(t *testing.T) {
	const islands, each = 40, 50 // each has less rows than are wanted
	data := values(6, islands*each, codedDim)
	for i := range data {
		if i%codedDim == 0 {
			data[i] += float32(1000 * (i / codedDim % islands))
		}
	}
	w := worldOf(t, data, codedDim, vectors.Float32, distance.Euclidean, builder.Options{K: 10}, nil)
	few := w.reopen(t, &search.Options{Budget: codesBudget})
	if few.State().Codes == 0 {
		t.Fatal("no codes")
	}
	for row := range codedQueries {
		found, err := few.Search(data[row*codedDim:][:codedDim], search.Query{K: 120, Effort: 200})
		if err != nil || len(found) != 120 {
			t.Fatal(len(found), err)
		}
		seen := map[store.Row]bool{}
		for _, n := range found {
			if seen[n.Row] {
				t.Fatalf("query %d: row %d stands twice", row, n.Row)
			}
			seen[n.Row] = true
		}
	}
}

// TestCodesBetweenIslands: a query between two of several islands finds the rows of both, and its walk follows few places
// more than it must.
func TestCodesBetweenIslands(t *testing.T) {
	const islands, each, apart, effort = 8, 250, 12, 16
	data := values(7, islands*each, codedDim)
	for i := range data {
		if i%codedDim == 0 {
			data[i] = data[i]/16 + float32(apart*(i/codedDim%islands))
		}
	}
	w := worldOf(t, data, codedDim, vectors.Float32, distance.Euclidean, builder.Options{K: 10}, nil)
	few := w.reopen(t, &search.Options{Budget: codesBudget})
	found, query := 0.0, make([]float32, codedDim)
	for i := range codedQueries {
		copy(query, data[i*codedDim:])
		query[0] = apart * (float32(i%(islands-1)) + 0.5)
		found += w.recall(t, few, query, search.Query{K: 10, Effort: effort})
	}
	if found < 0.9*codedQueries {
		t.Errorf("recall %.3f", found/codedQueries)
	}
	if hops := few.Counts().Hops; hops > 2*effort*codedQueries {
		t.Errorf("%d places followed for %d queries at effort %d", hops, codedQueries, effort)
	}
}

// TestCodesFarOut: a few rows that are far out do not spoil the codes of the others.
func TestCodesFarOut(t *testing.T) {
	const n, dim = 2000, 32
	for _, far := range []float32{1, 1e8, 1e15} {
		data := values(8, n, dim)
		for _, row := range []int{0, 999, 1500} {
			for i := range data[row*dim : (row+1)*dim] {
				data[row*dim+i] *= far
			}
		}
		w := worldOf(t, data, dim, vectors.Float32, distance.Euclidean, builder.Options{K: 10}, nil)
		few := w.reopen(t, &search.Options{Budget: 22 * n})
		if s := few.State(); s.Codes != (dim+2)/3 {
			t.Fatalf("%+v: want codes", s)
		}
		found := 0.0
		for i := 1; i <= codedQueries; i++ {
			found += w.recall(t, few, data[i*dim:(i+1)*dim], search.Query{K: 10})
		}
		if found < 0.95*codedQueries {
			t.Errorf("rows %v times as far: recall %.3f", far, found/codedQueries)
		}
	}
}

// reopen opens the store of a world again.
func (w *world) reopen(t testing.TB, o *search.Options) *search.Searcher {
	t.Helper()
	s, err := search.Open(w.g, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// recall is that of a query, whose distances are compared with exact ones.
func (w *world) recall(t testing.TB, s *search.Searcher, query []float32, q search.Query) float64 {
	t.Helper()
	got, err := s.Search(query, q)
	if err != nil || len(got) != q.K {
		t.Fatal(len(got), err)
	}
	all, err := w.s.Search(query, search.Query{K: w.n, Exact: true, Keep: q.Keep})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range got {
		if !slices.Contains(all, g) {
			t.Fatalf("%v is no exact distance of a row that may be a result", g)
		}
	}
	if !slices.IsSortedFunc(got, func(a, b store.Neighbor) int { return slices.Index(all, a) - slices.Index(all, b) }) {
		t.Fatalf("%v is not in order", got)
	}
	return search.Recall(got, all[:q.K])
}

// TestCodesAreAFunction: codes and answers are the same on any number of threads, in memory and in
// a file, read back or made; and rows are told of that were read.
func TestCodesAreAFunction(t *testing.T) {
	data := values(6, codedRows, codedDim)
	w := worldOf(t, data, codedDim, vectors.Uint8, distance.Euclidean, builder.Options{K: 10}, nil)
	queries, err := vectors.FromFloat32(data[:200*codedDim], codedDim)
	if err != nil {
		t.Fatal(err)
	}
	path := search.CodesPath(w.g.Dir())
	var bytes []byte
	var want [][]store.Neighbor
	for i, o := range []search.Options{{Threads: 1}, {Threads: 2}, {Threads: 3}} {
		o.Budget = codesBudget
		if i == 1 {
			os.Remove(path)
		}
		s := w.reopen(t, &o)
		got, err := s.SearchAll(t.Context(), queries, search.Query{K: 5})
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want, bytes = got, file
		}
		if !reflect.DeepEqual(got, want) || !slices.Equal(file, bytes) {
			t.Errorf("%+v: other answers or codes", o)
		}
		if state := s.State(); state.Made || state.CodesFrom.Made != (i < 2) || !state.CodesFrom.Kept {
			t.Errorf("%+v: %+v", o, state)
		}
	}
	s := w.reopen(t, &search.Options{Budget: codesBudget})
	told := map[store.Row]float32{}
	got, err := s.Search(data[:codedDim], search.Query{K: 5, Seen: func(row store.Row, key float32) { told[row] = w.g.Shown(key) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range got {
		if told[n.Row] != n.Distance {
			t.Errorf("%v: told %v", n, told[n.Row])
		}
	}
	tuned, err := s.Tune(t.Context(), search.TuneOptions{Recall: 0.9, Sample: 50})
	if err != nil || !tuned.Reached {
		t.Errorf("%+v %v", tuned, err)
	}
}

// TestCodesDamaged: a file of codes with any byte changed, cut, or of another graph is found out, and
// made again; Check finds codes that are not those of the rows. Too little memory has none.
func TestCodesDamaged(t *testing.T) {
	data := values(7, codedRows, codedDim)
	w := worldOf(t, data, codedDim, vectors.Uint8, distance.Euclidean, builder.Options{K: 10}, nil)
	path := search.CodesPath(w.g.Dir())
	if w.reopen(t, &search.Options{Budget: 1}).State().Codes != 0 {
		t.Error("codes in a budget of a byte")
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	w.reopen(t, &search.Options{Budget: codesBudget})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := search.Check(t.Context(), w.g); err != nil {
		t.Error(err)
	}
	centers := 4 * 256 * codedDim
	for _, at := range []int{0, 12, 50, 4096, 4096 + centers - 1, len(whole) - 1, -1} {
		bad := slices.Clone(whole)
		if at < 0 {
			bad = bad[:len(bad)-1]
		} else {
			bad[at] ^= 4
		}
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := search.Check(t.Context(), w.g); err == nil {
			t.Errorf("byte %d: check finds nothing", at)
		}
		s := w.reopen(t, &search.Options{Budget: codesBudget})
		if state := s.State(); state.CodesFrom.Replaced == nil || !state.CodesFrom.Made || state.Replaced != nil || state.Made {
			t.Errorf("byte %d: %+v", at, state)
		}
		if again, err := os.ReadFile(path); err != nil || !slices.Equal(again, whole) {
			t.Errorf("byte %d: not made again: %v", at, err)
		}
	}
}
