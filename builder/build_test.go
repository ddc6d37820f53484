package builder_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sort"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// clustered is rows around a few centers.
func clustered(seed uint64, n, dim int) []float32 { return rowstest.Clustered(seed, n, dim) }

func input(t testing.TB, data []float32, dim int) *vectors.Input {
	t.Helper()
	rows, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	return vectors.NewInput(rows)
}

// write makes a vector file of float32 rows.
func write(t testing.TB, path string, data []float32, dim int) {
	t.Helper()
	w, err := vectors.Create(path, vectors.Float32, dim)
	if err != nil {
		t.Fatal(err)
	}
	for row := range slices.Chunk(data, dim) {
		if err := w.AppendFloat32(row, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// opened is the rows of files, closed with the test.
func opened(t testing.TB, paths ...string) *vectors.Input {
	t.Helper()
	in, err := vectors.Open(paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

type entry struct {
	row uint32
	key float32
}

// bruteForce is the oracle: all keys, sorted by (key, row).
func bruteForce(t testing.TB, data []float32, dim, k int, m distance.Metric) [][]entry {
	t.Helper()
	n := len(data) / dim
	space, err := distance.New(m, vectors.Float32, dim)
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := vectors.FromFloat32(data, dim)
	norms := make([]float64, n)
	for i := range norms {
		norms[i] = space.Norm(rows.Row(i))
	}
	ids, keys := make([]uint32, n), make([]float32, n)
	for i := range ids {
		ids[i] = uint32(i)
	}
	lists := make([][]entry, n)
	for i := range lists {
		space.Keys(rows.Row(i), norms[i], rows.Base(), rows.Stride(), norms, ids, keys)
		lists[i] = nearest(keys, uint32(i), k)
	}
	return lists
}

// nearest picks the k first of all rows but self by (key, row).
func nearest(keys []float32, self uint32, k int) (list []entry) {
	for j, key := range keys {
		if uint32(j) == self || len(list) == k && key >= list[k-1].key {
			continue // rows come in order: of equal keys the earlier one is there
		}
		at := sort.Search(len(list), func(i int) bool { return list[i].key > key })
		list = slices.Insert(list, at, entry{uint32(j), key})
		list = list[:min(len(list), k)]
	}
	return list
}

// build builds into a new directory and returns result and lists.
func build(t testing.TB, dir string, in *vectors.Input, opts builder.Options) (*builder.Result, [][]entry) {
	t.Helper()
	res, err := builder.Build(context.Background(), dir, in, opts)
	if err != nil {
		t.Fatal(err)
	}
	return res, read(t, dir)
}

func read(t testing.TB, dir string) (lists [][]entry) {
	t.Helper()
	s, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.EachKeyed(func(_ store.Row, neighbors []uint32, keys []float32) error {
		var list []entry
		for i := range neighbors {
			list = append(list, entry{neighbors[i], keys[i]})
		}
		lists = append(lists, list)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lists
}

// checkLists holds every list against what a graph promises: min(k, n-1) distinct others,
// sorted by (key, row).
func checkLists(t testing.TB, lists [][]entry, k int) {
	t.Helper()
	for row, list := range lists {
		if len(list) != min(k, len(lists)-1) {
			t.Fatalf("row %d has %d neighbors, want %d", row, len(list), min(k, len(lists)-1))
		}
		seen := map[uint32]bool{uint32(row): true}
		for i, e := range list {
			if seen[e.row] || int(e.row) >= len(lists) {
				t.Fatalf("row %d: neighbor %d twice, itself, or out of range", row, e.row)
			}
			seen[e.row] = true
			if i > 0 && (e.key < list[i-1].key || e.key == list[i-1].key && e.row < list[i-1].row) {
				t.Fatalf("row %d: neighbors %d and %d out of order", row, i-1, i)
			}
		}
	}
}

func recallOf(lists, truth [][]entry) float64 {
	var sum float64
	for row := range lists {
		worst := truth[row][len(truth[row])-1].key
		found := 0
		for _, e := range lists[row] {
			if e.key <= worst {
				found++
			}
		}
		sum += float64(found) / float64(len(truth[row]))
	}
	return sum / float64(len(lists))
}

func TestExactEqualsBruteForce(t *testing.T) {
	const dim = 12
	for _, n := range []int{1, 2, 3, 40, 1500} {
		for _, m := range []distance.Metric{distance.Euclidean, distance.SqEuclidean, distance.Cosine, distance.IP} {
			data := clustered(uint64(n), n, dim)
			_, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim),
				builder.Options{K: 10, Metric: m, Method: builder.Exact})
			want := bruteForce(t, data, dim, 10, m)
			for row := range want {
				if !slices.Equal(lists[row], want[row]) {
					t.Fatalf("n=%d %v: row %d: %v, want %v", n, m, row, lists[row], want[row])
				}
			}
		}
	}
}

// TestExactOfRoundedRows: codes tell what is near where rows lie close to them, some of
// them clipped, and leave it to products where one element is all there is; lists are
// exact, and the same after an interruption.
func TestExactOfRoundedRows(t *testing.T) {
	const n, dim, k = 2500, 24, 12
	for _, m := range []distance.Metric{distance.Euclidean, distance.Cosine} {
		for _, spike := range []float32{0, 1e5} {
			rng := rand.New(rand.NewPCG(5, 5))
			data := make([]float32, n*dim)
			for i := range data {
				data[i] = float32(rng.NormFloat64()) + 3
				if rng.IntN(2000) == 0 {
					data[i] *= 50
				}
				if i%dim == 0 {
					data[i] += spike * float32(i/dim/300)
				}
			}
			dir := filepath.Join(t.TempDir(), "g")
			ctx, stop := context.WithCancel(t.Context())
			opts := builder.Options{K: k, Metric: m, Method: builder.Exact, Threads: 1 + rng.IntN(3)}
			opts.Progress = func(p builder.Event) {
				if p.Phase == "exact" && p.Done > 10 {
					stop()
				}
			}
			if _, err := builder.Build(ctx, dir, input(t, data, dim), opts); !errors.Is(err, context.Canceled) {
				t.Fatalf("%v, want a build that was stopped", err)
			}
			opts.Progress = nil
			_, lists := build(t, dir, input(t, data, dim), opts)
			want := bruteForce(t, data, dim, k, m)
			for row := range want {
				if !slices.Equal(lists[row], want[row]) {
					t.Fatalf("%v, spike %v: row %d: %v, want %v", m, spike, row, lists[row], want[row])
				}
			}
		}
	}
}

// TestExactOfBytes: tiles of codes give what keys one by one give, ties and all.
func TestExactOfBytes(t *testing.T) {
	const n, dim, k = 1300, 7, 9
	data := clustered(9, n, dim)
	want := bruteForce(t, data, dim, k, distance.Euclidean)
	for _, typ := range []vectors.Type{vectors.Uint8, vectors.Int8} {
		bytes := make([]byte, n*dim)
		for i, x := range data {
			bytes[i] = byte(x)
		}
		rows, err := vectors.RowsOf(bytes, n, dim, dim, typ)
		if err != nil {
			t.Fatal(err)
		}
		_, lists := build(t, filepath.Join(t.TempDir(), "g"), vectors.NewInput(rows), builder.Options{K: k, Method: builder.Exact})
		for row := range want {
			if !slices.Equal(lists[row], want[row]) {
				t.Fatalf("%v: row %d: %v, want %v", typ, row, lists[row], want[row])
			}
		}
	}
}

func TestPaperMethod(t *testing.T) {
	const n, dim, k = 4000, 16, 10
	data := clustered(1, n, dim)
	truth := bruteForce(t, data, dim, k, distance.Euclidean)
	res, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim),
		builder.Options{K: k, Method: builder.Paper, LeafSize: 100, Paper: builder.PaperOptions{Visits: 100}, Divisions: 4, Rounds: 1})
	checkLists(t, lists, k)
	got := recallOf(lists, truth)
	t.Logf("recall %.4f, reported %+v, rates %v", got, res.Recall, res.EffectiveRates)
	if got < 0.9 {
		t.Errorf("recall %.3f, want 0.9", got)
	}
	if res.EffectiveRates[0] != 1 {
		t.Errorf("the first effective rate is %v, want 1", res.EffectiveRates[0])
	}
}

// TestBallsMethod: recall as measured holds against the oracle, for every kind
// of rows that codes stand for.
func TestBallsMethod(t *testing.T) {
	const n, dim, k = 4000, 16, 10
	data := clustered(1, n, dim)
	for _, m := range []distance.Metric{distance.Euclidean, distance.Cosine} {
		truth := bruteForce(t, data, dim, k, m)
		res, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim),
			builder.Options{K: k, Metric: m, Method: builder.Balls, LeafSize: 100, Recall: 0.97})
		checkLists(t, lists, k)
		got := recallOf(lists, truth)
		t.Logf("%v: recall %.4f, reported %+v, %s", m, got, res.Recall, res.Stop)
		if got < 0.95 || got < res.Recall.Low || got > res.Recall.High {
			t.Errorf("%v: recall %.4f, reported %+v", m, got, res.Recall)
		}
		for row, list := range lists { // keys are exact, whatever the codes said
			for _, e := range list {
				if at := slices.Index(truth[row], e); at < 0 && e.key < truth[row][k-1].key {
					t.Fatalf("%v: row %d lists %d at %v, which the truth does not have", m, row, e.row, e.key)
				}
			}
		}
	}
}

// TestPartsMethod: however many groups and stripes the rows are cut into, recall as
// measured holds against the oracle, and where codes are keys the graph is one.
func TestPartsMethod(t *testing.T) {
	const n, dim, k = 4000, 16, 10
	data := clustered(1, n, dim)
	for _, m := range []distance.Metric{distance.Euclidean, distance.Cosine} {
		truth := bruteForce(t, data, dim, k, m)
		for _, cut := range []struct {
			group  int64
			stripe int
		}{{64 << 20, 4 << 20}, {1, 8000}} {
			restore := builder.SmallParts(cut.group, cut.stripe)
			res, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim),
				builder.Options{K: k, Metric: m, Method: builder.Parts, Recall: 0.97, Seed: 2}) // of seed 1 the 256 rows are among the twentieth that mislead
			restore()
			checkLists(t, lists, k)
			got := recallOf(lists, truth)
			t.Logf("%v: recall %.4f, reported %+v, %s", m, got, res.Recall, res.Stop)
			if got < 0.95 || got < res.Recall.Low || got > res.Recall.High {
				t.Errorf("%v: recall %.4f, reported %+v", m, got, res.Recall)
			}
		}
	}
}

// TestGroupsDoNotMatter: where codes are keys, neither do groups and stripes.
func TestGroupsDoNotMatter(t *testing.T) {
	var sums []string
	for _, cut := range [][2]int{{64 << 20, 4 << 20}, {1, 5000}} {
		restore := builder.SmallParts(int64(cut[0]), cut[1])
		in, err := vectors.Open([]string{blobs}, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, _ := build(t, filepath.Join(t.TempDir(), "g"), in, builder.Options{K: 10, Method: builder.Parts, Recall: 0.98})
		in.Close()
		restore()
		sums = append(sums, res.Checksum)
	}
	if sums[0] != sums[1] {
		t.Errorf("checksums %v", sums)
	}
}

func TestOptionsThatMustNotMatter(t *testing.T) {
	const n, dim, k = 3000, 8, 7
	data := clustered(2, n, dim)
	paper := builder.Options{K: k, Method: builder.Paper, LeafSize: 64, Paper: builder.PaperOptions{Visits: 60}, Divisions: 5, Rounds: 2, Threads: 1}
	balls := builder.Options{K: k, Method: builder.Balls, LeafSize: 64, Divisions: 6, Rounds: 2, Threads: 1}
	steered := builder.Options{K: k, Method: builder.Balls, LeafSize: 64, Recall: 0.99, Threads: 1}
	parts := builder.Options{K: k, Method: builder.Parts, Recall: 0.98, Threads: 1}
	products := parts
	products.Metric = distance.IP
	path := filepath.Join(t.TempDir(), "rows.fbin")
	write(t, path, data, dim)
	for _, base := range []builder.Options{paper, balls, steered, parts, products} {
		want, _ := build(t, filepath.Join(t.TempDir(), "g"), opened(t, path), base)
		for name, change := range map[string]func(*builder.Options){
			"threads":   func(o *builder.Options) { o.Threads = 3 },
			"cache on":  func(o *builder.Options) { o.PairCache = builder.On },
			"cache off": func(o *builder.Options) { o.PairCache = builder.Off },
			"memory":    func(o *builder.Options) { o.Memory = 1 << 30 },
			"reference": func(o *builder.Options) { o.Reference = base.Method == builder.Paper },
		} {
			o := base
			change(&o)
			got, _ := build(t, filepath.Join(t.TempDir(), "g"), opened(t, path), o)
			if got.Checksum != want.Checksum {
				t.Errorf("%s, %s: checksum %s, want %s", base.Method, name, got.Checksum, want.Checksum)
			}
			if got.RequestedPairs != want.RequestedPairs {
				t.Errorf("%s, %s: %d requested pairs, want %d", base.Method, name, got.RequestedPairs, want.RequestedPairs)
			}
		}
	}
}

// TestOtherVersion: a build that a version with other blocks of rows, or with other divisions, began is
// refused, and keeps what it has.
func TestOtherVersion(t *testing.T) {
	defer builder.WideFrom(2000)()
	data := clustered(3, 2000, 4)
	for _, c := range []struct {
		method builder.Method
		phase  string
		forget func(string, *vectors.Input, builder.Options) error
		want   error
	}{
		{builder.Exact, "exact", builder.ForgetSide, builder.ErrOtherBlocks},
		{builder.Parts, "division 1", builder.ForgetLap, builder.ErrOtherLeaves},
	} {
		dir := filepath.Join(t.TempDir(), "g")
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		o := builder.Options{K: 5, Method: c.method}
		o.Progress = func(e builder.Event) {
			if e.Phase == c.phase {
				cancel()
			}
		}
		if _, err := builder.Build(ctx, dir, input(t, data, 4), o); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s stopped: %v", c.method, err)
		}
		o.Progress = nil
		if err := c.forget(dir, input(t, data, 4), o); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			_, err := builder.Build(context.Background(), dir, input(t, data, 4), o)
			if !errors.Is(err, store.ErrMismatch) || !errors.Is(err, c.want) {
				t.Fatalf("%s went on: %v", c.method, err)
			}
		}
	}
}

// TestListsOfOneMark: lists that a version before wrote, whose entries were others, are not
// read; the build begins its divisions again, also if that is stopped.
func TestListsOfOneMark(t *testing.T) {
	defer builder.KeepEvery(0)()
	data := clustered(4, 3000, 6)
	o := builder.Options{K: 5, Method: builder.Balls, LeafSize: 64, Divisions: 12, Rounds: 1}
	want, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, 6), o)
	dir := filepath.Join(t.TempDir(), "g")
	for _, phase := range []string{"division 3", "division 2"} {
		ctx, cancel := context.WithCancel(context.Background())
		o.Progress = func(e builder.Event) {
			if e.Phase == phase {
				cancel()
			}
		}
		_, err := builder.Build(ctx, dir, input(t, data, 6), o)
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: %v", phase, err)
		}
		o.Progress = nil
		if err := builder.ForgetMarks(dir, input(t, data, 6), o); err != nil {
			t.Fatal(err)
		}
	}
	stages, _, err := builder.Committed(dir, input(t, data, 6), o)
	if err != nil || stages != 0 {
		t.Fatalf("%d stages, %v", stages, err)
	}
	got, _ := build(t, dir, input(t, data, 6), o)
	if got.Checksum != want.Checksum || got.Resumed != 2 {
		t.Errorf("checksum %s after %d resumptions, want %s", got.Checksum, got.Resumed, want.Checksum)
	}
}

func TestFinishedAndMismatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g")
	data := clustered(3, 300, 4)
	o := builder.Options{K: 5}
	first, _ := build(t, dir, input(t, data, 4), o)
	again, err := builder.Build(context.Background(), dir, input(t, data, 4), o)
	if !errors.Is(err, store.ErrFinished) || again == nil || again.Checksum != first.Checksum {
		t.Fatalf("again: %v %v", again, err)
	}
	o.K = 6
	if _, err := builder.Build(context.Background(), dir, input(t, data, 4), o); !errors.Is(err, store.ErrMismatch) {
		t.Fatalf("another k: %v", err)
	}
	data[0]++
	o.K = 5
	if _, err := builder.Build(context.Background(), dir, input(t, data, 4), o); !errors.Is(err, store.ErrMismatch) {
		t.Fatalf("other data: %v", err)
	}
}

// TestRoundsEnd: where divisions are limited and the target is out of reach, rounds go on
// until one has nothing to compare, and no longer.
func TestRoundsEnd(t *testing.T) {
	data := clustered(4, 3000, 6)
	o := builder.Options{K: 5, Method: builder.Balls, LeafSize: 64, Divisions: 1, Recall: 0.9999}
	got, _ := build(t, filepath.Join(t.TempDir(), "g"), typed(t, data, 6, vectors.Uint8), o)
	if got.Rounds < 2 || got.Rounds == builder.MaxDivisions {
		t.Fatalf("%d rounds: %s", got.Rounds, got.Stop)
	}
	more := builder.Options{K: 5, Method: builder.Balls, LeafSize: 64, Divisions: 1, Rounds: got.Rounds + 3}
	want, _ := build(t, filepath.Join(t.TempDir(), "g"), typed(t, data, 6, vectors.Uint8), more)
	if got.Checksum != want.Checksum {
		t.Errorf("%d rounds more give another graph", want.Rounds-got.Rounds)
	}
}
