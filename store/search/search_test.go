package search_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// A set of rows and a store of them.
type world struct {
	rows   []float32 // n*dim
	n, dim int
	metric distance.Metric
	g      *store.Store
	s      *search.Searcher
}

// values are whole numbers in clusters, which every type holds.
func values(seed uint64, n, dim int) []float32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	v := make([]float32, n*dim)
	for i := range n {
		center := rng.IntN(12)
		for j := range dim {
			v[i*dim+j] = float32((center*(j+3)*7)%80 + rng.IntN(40) + 1)
		}
	}
	return v
}

func worldOf(t testing.TB, rows []float32, dim int, typ vectors.Type, metric distance.Metric, o builder.Options, so *search.Options) *world {
	t.Helper()
	n := len(rows) / dim
	size := dim * typ.Size()
	data := make([]byte, n*size)
	for i := range n {
		if err := vectors.Encode(typ, rows[i*dim:(i+1)*dim], data[i*size:(i+1)*size]); err != nil {
			t.Fatal(err)
		}
	}
	m, err := vectors.RowsOf(data, n, dim, size, typ)
	if err != nil {
		t.Fatal(err)
	}
	o.Metric = metric
	dir := filepath.Join(t.TempDir(), "g")
	if _, err := builder.Build(context.Background(), dir, vectors.NewInput(m), o); err != nil {
		t.Fatal(err)
	}
	return open(t, &world{rows: rows, n: n, dim: dim, metric: metric}, dir, so)
}

func open(t testing.TB, w *world, dir string, so *search.Options) *world {
	t.Helper()
	var err error
	if w.g, err = store.Open(dir, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.g.Close() })
	if w.s, err = search.Open(w.g, so); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.s.Close() })
	return w
}

// brute is the oracle: all rows that may be results, sorted by distance and row.
func (w *world) brute(query []float32, k int, within *float32, keep func(store.Row) bool) []store.Neighbor {
	var all []store.Neighbor
	for i := range w.n {
		if keep != nil && !keep(store.Row(i)) {
			continue
		}
		row := w.rows[i*w.dim : (i+1)*w.dim]
		var dot, sq, xx, yy float64
		for j, x := range query {
			y := float64(row[j])
			d := float64(x - row[j])
			dot, sq, xx, yy = dot+float64(x)*y, sq+d*d, xx+float64(x)*float64(x), yy+y*y
		}
		var d float32
		switch w.metric {
		case distance.Euclidean:
			d = float32(math.Sqrt(float64(float32(sq))))
		case distance.SqEuclidean:
			d = float32(sq)
		case distance.IP:
			d = float32(-dot)
		case distance.Cosine:
			d = float32(min(max(1-dot/(math.Sqrt(xx)*math.Sqrt(yy)), 0), 2))
		}
		if within == nil || d <= *within {
			all = append(all, store.Neighbor{Row: store.Row(i), Distance: d})
		}
	}
	slices.SortFunc(all, func(a, b store.Neighbor) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Row, b.Row))
	})
	if k > 0 && len(all) > k {
		all = all[:k]
	}
	return all
}

// same reports where exact results differ from those of the oracle.
func same(got, want []store.Neighbor) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d results, want %d", len(got), len(want))
	}
	for i := range got {
		if math.Abs(float64(got[i].Distance-want[i].Distance)) > 1e-6*math.Abs(float64(want[i].Distance))+1e-7 {
			return fmt.Errorf("result %d is %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}

// honest reports a result that is wrong in itself: no row that may be one, twice, out of
// order, or at another distance than it has.
func (w *world) honest(query []float32, got []store.Neighbor, within *float32, keep func(store.Row) bool) error {
	distances := map[store.Row]float32{}
	for _, b := range w.brute(query, 0, within, keep) {
		distances[b.Row] = b.Distance
	}
	seen := map[store.Row]bool{}
	for i, g := range got {
		d, ok := distances[g.Row]
		if !ok || seen[g.Row] || math.Abs(float64(g.Distance-d)) > 1e-6*math.Abs(float64(d))+1e-7 {
			return fmt.Errorf("result %d is %v, which has distance %v, may be a result: %v", i, g, d, ok)
		}
		if i > 0 && (g.Distance < got[i-1].Distance || g.Distance == got[i-1].Distance && w.metric != distance.Euclidean && g.Row < got[i-1].Row) { // keys may differ whose roots do not
			return fmt.Errorf("results %d and %d are out of order: %v", i-1, i, got[i-1:i+1])
		}
		seen[g.Row] = true
	}
	return nil
}

var kinds = []vectors.Type{vectors.Uint8, vectors.Int8, vectors.Float16, vectors.Float32}
var metrics = []distance.Metric{distance.Euclidean, distance.SqEuclidean, distance.Cosine, distance.IP}

// TestAgainstBruteForce: exact search gives the oracle's results, walks give true distances,
// k results, and nearly all of the nearest, for every type, metric, filter and radius, and for
// queries that the type of the rows holds or not.
func TestAgainstBruteForce(t *testing.T) {
	const n, dim, k = 1500, 12, 10
	rows, queries := values(1, n, dim), values(2, 24, dim)
	for _, typ := range kinds {
		for _, metric := range metrics {
			t.Run(fmt.Sprint(typ, metric), func(t *testing.T) {
				w := worldOf(t, rows, dim, typ, metric, builder.Options{K: 10}, nil)
				if w.s.State().Replaced != nil || !w.s.State().Made || !w.s.State().Kept {
					t.Errorf("state %+v", w.s.State())
				}
				some := []store.Row{}
				for i := 0; i < n; i += 40 {
					some = append(some, store.Row(i))
				}
				few, err := w.s.Only(some)
				if err != nil {
					t.Fatal(err)
				}
				inFew := func(r store.Row) bool { return r%40 == 0 }
				third := func(r store.Row) bool { return r%3 == 0 }
				none := func(store.Row) bool { return false }
				sums, counts := map[string]float64{}, map[string]int{}
				for i := range 24 {
					query := slices.Clone(queries[i*dim : (i+1)*dim])
					if i%3 == 2 {
						query[1] += 0.3
					}
					nearest := w.brute(query, 0, nil, nil)
					radius := search.Distance(nearest[25].Distance)
					for _, c := range []struct {
						name   string
						q      search.Query
						within *float32
						keep   func(store.Row) bool
					}{
						{"plain", search.Query{K: k}, nil, nil},
						{"exact", search.Query{K: k, Exact: true}, nil, nil},
						{"all", search.Query{K: n + 5, Exact: true}, nil, nil},
						{"keep", search.Query{K: k, Keep: third}, nil, third},
						{"keep few", search.Query{K: k, Keep: inFew}, nil, inFew},
						{"keep none", search.Query{K: k, Keep: none}, nil, none},
						{"only", search.Query{K: k, Only: few}, nil, inFew},
						{"within", search.Query{K: 2 * k, Within: radius}, radius, nil},
						{"all within", search.Query{Within: radius}, radius, nil},
						{"exact all within", search.Query{Within: radius, Exact: true}, radius, nil},
						{"keep within", search.Query{K: k, Within: radius, Keep: third}, radius, third},
					} {
						got, err := w.s.Search(query, c.q)
						if err != nil {
							t.Fatalf("%s: %v", c.name, err)
						}
						if err := w.honest(query, got, c.within, c.keep); err != nil {
							t.Errorf("%s, query %d: %v", c.name, i, err)
						}
						want := w.brute(query, c.q.K, c.within, c.keep)
						if c.q.Exact || c.q.Only != nil {
							if err := same(got, want); err != nil {
								t.Errorf("%s, query %d: %v", c.name, i, err)
							}
						}
						if c.within == nil && len(got) != len(want) {
							t.Errorf("%s, query %d: %d results of %d", c.name, i, len(got), len(want))
						}
						sums[c.name] += search.Recall(got, want)
						counts[c.name]++
					}
				}
				least := 0.97
				if metric == distance.IP {
					least = 0.5 // whose lists all lead to few rows
				}
				for name, sum := range sums {
					if r := sum / float64(counts[name]); r < least {
						t.Errorf("%s: recall %.3f, want %.2f", name, r, least)
					}
				}
			})
		}
	}
}

// TestScaledRows: of rows that the store has scaled, queries, vectors and distances are as
// of the input.
func TestScaledRows(t *testing.T) {
	const n, dim, power = 500, 4, -80
	rows := values(3, n, dim)
	small := make([]float32, len(rows))
	for i, x := range rows {
		small[i] = vectors.Scale(x, power)
	}
	o := builder.Options{K: 8}
	plain := worldOf(t, rows, dim, vectors.Float32, distance.Euclidean, o, nil)
	w := worldOf(t, small, dim, vectors.Float32, distance.Euclidean, o, nil)
	for row := range 20 {
		x, err := w.s.Vector(store.Row(row), nil)
		if err != nil || !slices.Equal(x, small[row*dim:(row+1)*dim]) {
			t.Fatalf("row %d: %v, %v, want %v", row, x, err, small[row*dim:(row+1)*dim])
		}
		q := search.Query{K: 5, Exact: true}
		want, err1 := plain.s.Search(rows[row*dim:(row+1)*dim], q)
		got, err2 := w.s.Search(x, q)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i].Distance = vectors.Scale(want[i].Distance, power)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("row %d: %v, want %v", row, got, want)
		}
	}
}

// TestFewRows: one row, as many as are asked for, and all alike.
func TestFewRows(t *testing.T) {
	for _, n := range []int{1, 2, 3, 17, 40} {
		for _, equal := range []bool{false, true} {
			rows := values(3, n, 4)
			if equal {
				for i := range rows {
					rows[i] = 9
				}
			}
			w := worldOf(t, rows, 4, vectors.Float32, distance.Euclidean, builder.Options{K: 5}, nil)
			for _, k := range []int{1, 5, n, n + 3} {
				for _, effort := range []int{0, 1} {
					got, err := w.s.Search(rows[:4], search.Query{K: k, Effort: effort})
					if err != nil || len(got) != min(k, n) || got[0].Distance != 0 {
						t.Errorf("n %d, k %d, effort %d: %v %v", n, k, effort, got, err)
					}
					if err := w.honest(rows[:4], got, nil, nil); err != nil {
						t.Error(err)
					}
				}
			}
			for _, effort := range []int{0, 1} {
				if got, err := w.s.Search([]float32{90, 80, 70, 60}, search.Query{K: n, Effort: effort}); err != nil || len(got) != n {
					t.Errorf("n %d, effort %d, from elsewhere: %v %v", n, effort, got, err)
				}
			}
			all, err := w.s.Search(rows[:4], search.Query{Within: search.Distance(1e9)})
			if err != nil || len(all) != n {
				t.Errorf("n %d: %d within all, %v", n, len(all), err)
			}
			tuned, err := w.s.Tune(t.Context(), search.TuneOptions{K: 3, Sample: 5})
			if err != nil || !tuned.Reached {
				t.Errorf("n %d: %+v %v", n, tuned, err)
			}
		}
	}
}

// TestIslands: k results although links reach few of the rows: groups far apart whose lists
// stay inside, of which a leader stands in some.
func TestIslands(t *testing.T) {
	const groups, each, dim = 100, 6, 3
	rows := make([]float32, groups*each*dim)
	for i := range groups * each {
		rows[i*dim] = float32(1000 * (i / each))
		rows[i*dim+1] = float32(i % each)
	}
	w := worldOf(t, rows, dim, vectors.Float32, distance.Euclidean, builder.Options{K: 5}, nil)
	for i := 0; i < groups*each; i += 7 {
		query := rows[i*dim : (i+1)*dim]
		got, err := w.s.Search(query, search.Query{K: 10, Effort: 1})
		if err != nil || len(got) != 10 {
			t.Errorf("query %d: %d results, %v", i, len(got), err)
		}
		if err := w.honest(query, got, nil, nil); err != nil {
			t.Error(err)
		}
		got, err = w.s.Search(query, search.Query{K: 300})
		if err != nil || same(got, w.brute(query, 300, nil, nil)) != nil {
			t.Errorf("query %d: %v %v", i, same(got, w.brute(query, 300, nil, nil)), err)
		}
	}
}

// TestIsolated: rows without a list are not found, and cannot be queries.
func TestIsolated(t *testing.T) {
	rows := values(5, 60, 4)
	rows[4*7] = float32(math.NaN())
	w := worldOf(t, rows, 4, vectors.Float32, distance.Euclidean, builder.Options{K: 5, BadRows: builder.Isolate}, nil)
	got, err := w.s.Search(rows[:4], search.Query{K: 60})
	if err != nil || len(got) != 59 || slices.ContainsFunc(got, func(n store.Neighbor) bool { return n.Row == 7 }) {
		t.Errorf("%d results, %v", len(got), err)
	}
	if _, err := w.s.Vector(7, nil); !errors.Is(err, store.ErrNoRow) {
		t.Errorf("vector of an isolated row: %v", err)
	}
	if v, err := w.s.Vector(8, nil); err != nil || !slices.Equal(v, rows[32:36]) {
		t.Errorf("vector %v, %v", v, err)
	}
}

// TestRefusals: a query that cannot be answered is an error that can be told.
func TestRefusals(t *testing.T) {
	w := worldOf(t, values(6, 50, 4), 4, vectors.Float32, distance.Cosine, builder.Options{K: 5}, nil)
	other := worldOf(t, values(6, 50, 4), 4, vectors.Float32, distance.Cosine, builder.Options{K: 5}, nil)
	set, _ := other.s.Only([]store.Row{1})
	good := []float32{1, 2, 3, 4}
	nan := float32(math.NaN())
	for i, c := range []struct {
		query []float32
		q     search.Query
	}{
		{good[:3], search.Query{K: 1}},
		{[]float32{1, 2, nan, 4}, search.Query{K: 1}},
		{[]float32{0, 0, 0, 0}, search.Query{K: 1}},
		{good, search.Query{}},
		{good, search.Query{K: -1}},
		{good, search.Query{K: 1, Effort: -1}},
		{good, search.Query{Within: &nan}},
		{good, search.Query{K: 1, Only: set}},
	} {
		if got, err := w.s.Search(c.query, c.q); !errors.Is(err, search.ErrQuery) || len(got) != 0 {
			t.Errorf("case %d: %v, %v", i, got, err)
		}
	}
	if _, err := w.s.Only([]store.Row{50}); !errors.Is(err, store.ErrNoRow) {
		t.Error(err)
	}
}

// TestSearchAll: many queries at once have the results of each alone, whatever the threads.
func TestSearchAll(t *testing.T) {
	const dim = 8
	rows, queries := values(8, 1200, dim), values(9, 70, dim)
	w := worldOf(t, rows, dim, vectors.Uint8, distance.Euclidean, builder.Options{K: 8}, nil)
	src, err := vectors.FromFloat32(queries, dim)
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 5} {
		again := open(t, &world{}, w.g.Dir(), &search.Options{Threads: threads})
		if st := again.s.State(); st.Made || !st.Kept {
			t.Errorf("state %+v", st)
		}
		for _, q := range []search.Query{{K: 7}, {K: 7, Exact: true}, {K: 3, Keep: func(r store.Row) bool { return r > 600 }}} {
			got, err := again.s.SearchAll(t.Context(), src, q)
			if err != nil || len(got) != 70 {
				t.Fatal(err)
			}
			for i := range got {
				want, err := w.s.Search(queries[i*dim:(i+1)*dim], q)
				if err != nil || !slices.Equal(got[i], want) {
					t.Errorf("query %d: %v, want %v, %v", i, got[i], want, err)
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.s.SearchAll(ctx, src, search.Query{K: 1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestTune: the effort found reaches the recall that it is for, on rows that it was not found
// on; more recall takes no less effort.
func TestTune(t *testing.T) {
	w := worldOf(t, values(10, 4000, 10), 10, vectors.Float32, distance.Euclidean, builder.Options{K: 10}, nil)
	low, err := w.s.Tune(t.Context(), search.TuneOptions{K: 5, Recall: 0.8})
	if err != nil || !low.Reached || low.Recall < 0.75 || len(low.PerQuery) != 200 {
		t.Errorf("%+v %v", low, err)
	}
	high, err := w.s.Tune(t.Context(), search.TuneOptions{K: 5, Recall: 1})
	if err != nil || high.Effort < low.Effort || high.Recall < low.Recall {
		t.Errorf("%+v, for less %+v: %v", high, low, err)
	}
}

// TestLinksAreAFunction of the store: not of threads, nor of where they are kept.
func TestLinksAreAFunction(t *testing.T) {
	w := worldOf(t, values(11, 9000, 6), 6, vectors.Float32, distance.Cosine, builder.Options{K: 6}, &search.Options{Threads: 1})
	path := search.Path(w.g.Dir())
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	again := open(t, &world{}, w.g.Dir(), &search.Options{Threads: 3})
	second, err := os.ReadFile(path)
	if err != nil || !slices.Equal(first, second) {
		t.Errorf("%d and %d bytes differ: %v", len(first), len(second), err)
	}
	memory := open(t, &world{}, w.g.Dir(), &search.Options{Memory: true})
	for i := range 50 {
		v, err := again.s.Vector(store.Row(i), nil)
		if err != nil {
			t.Fatal(err)
		}
		v[0] += 0.5
		a, _ := again.s.Search(v, search.Query{K: 9})
		b, _ := memory.s.Search(v, search.Query{K: 9})
		if !slices.Equal(a, b) {
			t.Errorf("%v, in memory %v", a, b)
		}
	}
	if err := search.Check(t.Context(), w.g); err != nil {
		t.Error(err)
	}
	report, err := store.Check(t.Context(), w.g.Dir(), store.CheckOptions{})
	if err != nil || !report.OK() {
		t.Errorf("%v %v", report, err)
	}
}

// TestReadOnly: a folder that cannot be written to has its links in memory.
func TestReadOnly(t *testing.T) {
	w := worldOf(t, values(12, 300, 4), 4, vectors.Float32, distance.Euclidean, builder.Options{K: 4}, &search.Options{Memory: true})
	if _, err := os.Stat(search.Path(w.g.Dir())); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := search.Check(t.Context(), w.g); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Dir(search.Path(w.g.Dir())), nil, 0o666); err != nil { // a file where the folder is to be
		t.Fatal(err)
	}
	again := open(t, &world{}, w.g.Dir(), nil)
	if st := again.s.State(); st.Kept || !st.Made || st.Why == nil {
		t.Errorf("%+v", st)
	}
	if got, err := again.s.Search(w.rows[:4], search.Query{K: 2}); err != nil || len(got) != 2 {
		t.Error(got, err)
	}
}

// TestOpenDamaged: a store of which the rows were damaged since it was opened is an error of
// Open, and no Searcher.
func TestOpenDamaged(t *testing.T) {
	w := worldOf(t, values(12, 300, 4), 4, vectors.Float32, distance.Euclidean, builder.Options{K: 4}, nil)
	path := filepath.Join(w.g.Dir(), "vectors", "rows")
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	if s, err := search.Open(w.g, nil); err == nil || s != nil {
		t.Errorf("%v, error %v", s, err)
	}
}

// TestTooFar: a query whose distances float32 does not hold is refused, as they tell no rows apart.
func TestTooFar(t *testing.T) {
	w := worldOf(t, values(3, 300, 4), 4, vectors.Float32, distance.Euclidean, builder.Options{K: 5}, nil)
	query := []float32{-1e30, -1e30, -1e30, -1e30}
	source, err := vectors.FromFloat32(query, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []search.Query{{K: 3}, {K: 3, Exact: true}} {
		if found, err := w.s.Search(query, q); !errors.Is(err, search.ErrQuery) || len(found) > 0 {
			t.Errorf("%+v: %v, %v", q, found, err)
		}
		if _, err := w.s.SearchAll(t.Context(), source, q); !errors.Is(err, search.ErrQuery) {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if found, err := w.s.Search(query, search.Query{Within: search.Distance(5)}); err != nil || len(found) > 0 {
		t.Errorf("within 5: %v, %v", found, err)
	}
}

// TestWithout: a row that is left out is no result, and all others are as they would be without it.
func TestWithout(t *testing.T) {
	w := worldOf(t, values(4, 400, 5), 5, vectors.Float32, distance.Euclidean, builder.Options{K: 8}, nil)
	even := func(row store.Row) bool { return row%2 == 0 }
	for row := range store.Row(400) {
		query := w.rows[5*row : 5*(row+1)]
		for name, q := range map[string]search.Query{
			"walk": {K: 6, Effort: 100}, "exact": {K: 6, Exact: true}, "filter": {K: 6, Effort: 100, Keep: even}, "within": {Within: search.Distance(1), Effort: 100},
		} {
			q.Without = &row
			got, err := w.s.Search(query, q)
			if err != nil {
				t.Fatal(err)
			}
			want := w.brute(query, q.K, q.Within, func(r store.Row) bool { return r != row && (q.Keep == nil || q.Keep(r)) })
			if err := same(got, want); err != nil {
				t.Fatalf("%s without row %d: %v", name, row, err)
			}
		}
	}
	nobody := store.Row(400)
	if got, err := w.s.Search(w.rows[:5], search.Query{K: 1, Without: &nobody}); err != nil || got[0].Row != 0 {
		t.Errorf("without a row that is not there: %v, %v", got, err)
	}
}
