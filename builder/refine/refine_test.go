package refine_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/refine"
	"github.com/knng/knng/builder/refine/rankorder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

const dim = 4

// someRows makes rows in clusters far from each other, on a grid, so that there
// are ties, duplicates and components.
func someRows(rng *rand.Rand, n int) []float32 {
	data := make([]float32, 0, n*dim)
	for range n {
		c := rng.IntN(6)
		for range dim {
			data = append(data, float32(100*c+rng.IntN(12)))
		}
	}
	return data
}

func input(t testing.TB, data []float32) *vectors.Input {
	t.Helper()
	rows, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	return vectors.NewInput(rows)
}

// given builds G1 and opens it.
func given(t testing.TB, data []float32, opts builder.Options) *store.Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "g1")
	if _, err := builder.Build(context.Background(), dir, input(t, data), opts); err != nil {
		t.Fatal(err)
	}
	return open(t, dir)
}

func open(t testing.TB, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func read(t testing.TB, s *store.Store) (g graph) {
	t.Helper()
	err := s.EachKeyed(func(_ store.Row, neighbors []uint32, keys []float32) error {
		var list []near
		for i := range neighbors {
			list = append(list, near{neighbors[i], keys[i]})
		}
		g = append(g, list)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// refineNew refines into a new directory.
func refineNew(t testing.TB, g1 *store.Store, opts refine.Options) (*refine.Result, *store.Store) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "g2")
	res, err := refine.Refine(context.Background(), dir, g1, opts)
	if err != nil {
		t.Fatal(err)
	}
	return res, open(t, dir)
}

func same(t *testing.T, got, want graph) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for row := range want {
		if !slices.Equal(got[row], want[row]) {
			t.Fatalf("row %d: %v, want %v", row, got[row], want[row])
		}
	}
}

// chebyshev is the largest difference of any coordinate.
func chebyshev(data []float32) func(a, b uint32) float32 {
	return func(a, b uint32) (most float32) {
		for i := range dim {
			most = max(most, float32(math.Abs(float64(data[int(a)*dim+i]-data[int(b)*dim+i]))))
		}
		return most
	}
}

// ofRows makes a distance of one's own of a function.
func ofRows(d func(a, b uint32) float32) *refine.Distance {
	return &refine.Distance{Name: "chebyshev", Version: 1, Key: func(a, b store.Row) (float32, error) {
		return d(uint32(a), uint32(b)), nil
	}}
}

// rankOrder is the oracle's rank-order distance over G1; package rankorder is
// held against the definition by its own tests.
func rankOrder(g1 graph, cut int) func(a, b uint32) float32 {
	rows := make([][]uint32, len(g1))
	for row, list := range g1 {
		for _, e := range list {
			rows[row] = append(rows[row], e.row)
		}
	}
	return func(a, b uint32) float32 {
		c := rankorder.New(cut)
		c.From(a, rows[a])
		return c.To(b, rows[b])
	}
}

// underMetric is the metric's key between two rows.
func underMetric(t *testing.T, data []float32, m distance.Metric) func(a, b uint32) float32 {
	rows, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	space, err := distance.New(m, vectors.Float32, dim)
	if err != nil {
		t.Fatal(err)
	}
	return func(a, b uint32) float32 {
		x, y := rows.Row(int(a)), rows.Row(int(b))
		return space.Key(x, y, space.Norm(x), space.Norm(y))
	}
}

func TestFollowsTheDefinition(t *testing.T) {
	if testing.Short() {
		t.Skip("an oracle's work: runs without -short")
	}
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, c := range []struct{ n, k1, k, visits int }{
		{300, 8, 5, 9},    // fewer neighbors, and a cap inside an expansion
		{300, 8, 20, 40},  // more
		{300, 2, 30, 60},  // more than many components have
		{200, 15, 4, 10},  // fewer visits than a start list is long
		{12, 20, 20, 100}, // all others
		{2, 1, 1, 1},
		{1, 3, 3, 3},
	} {
		data, fine := someRows(rng, c.n), someRows(rng, c.n)
		g1 := given(t, data, builder.Options{K: c.k1})
		before := read(t, g1)
		for name, d := range map[string]struct {
			opts refine.Options
			key  func(a, b uint32) float32
		}{
			"rows":       {refine.Options{Distance: ofRows(chebyshev(fine))}, chebyshev(fine)},
			"rank-order": {refine.Options{Distance: refine.RankOrder(c.k1)}, rankOrder(before, c.k1)},
			"cut":        {refine.Options{Distance: refine.RankOrder(3)}, rankOrder(before, 3)},
			"euclidean":  {refine.Options{Vectors: input(t, fine)}, underMetric(t, fine, distance.Euclidean)},
			"ip":         {refine.Options{Vectors: input(t, fine), Metric: distance.IP}, underMetric(t, fine, distance.IP)},
		} {
			t.Run(fmt.Sprintf("%s of %d, k %d to %d, %d visits", name, c.n, c.k1, c.k, c.visits), func(t *testing.T) {
				opts := d.opts
				opts.K, opts.Visits = c.k, c.visits
				res, g2 := refineNew(t, g1, opts)
				got := read(t, g2)
				same(t, got, refined(before, d.key, c.k, c.visits))
				if k := max(0, min(c.k, c.n-1)); g2.K() != k || res.K != k || len(got[0]) != k {
					t.Errorf("k %d, reported %d, want %d", g2.K(), res.K, k)
				}
				if c.k1 == 2 && res.Completed == 0 {
					t.Error("no component was too small: the case tests less than it should")
				}
			})
		}
	}
}

// TestWhatMustNotMatter: threads, memory, the pair cache and where rows lie.
func TestWhatMustNotMatter(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 1))
	n := 700
	if testing.Short() {
		n = 250
	}
	data, fine := someRows(rng, n), someRows(rng, n)
	g1 := given(t, data, builder.Options{K: 6, Method: builder.Paper, LeafSize: 64, Divisions: 3})
	for _, base := range []refine.Options{
		{Distance: refine.RankOrder(6), K: 12, Visits: 60, Threads: 1},
		{Distance: ofRows(chebyshev(fine)), K: 12, Visits: 60, Threads: 1, PairCache: builder.Off},
		{Vectors: input(t, fine), Metric: distance.Cosine, K: 12, Visits: 60, Threads: 1},
	} {
		want, _ := refineNew(t, g1, base)
		for name, change := range map[string]func(*refine.Options){
			"threads":   func(o *refine.Options) { o.Threads = 3 },
			"memory":    func(o *refine.Options) { o.Memory = 8 * 12 * 100 },
			"no memory": func(o *refine.Options) { o.Memory = 8 * 12 * 37 },
			"cache":     func(o *refine.Options) { o.PairCache = builder.On; o.Threads = 2 },
		} {
			o := base
			change(&o)
			got, g2 := refineNew(t, g1, o)
			if got.Checksum != want.Checksum || g2.Info().Checksum != want.Checksum {
				t.Errorf("%s, %s: checksum %s, want %s", want.Metric, name, got.Checksum, want.Checksum)
			}
			if got.RequestedPairs != want.RequestedPairs {
				t.Errorf("%s, %s: %d requested pairs, want %d", want.Metric, name, got.RequestedPairs, want.RequestedPairs)
			}
			if name == "cache" && (got.PairCache != "pairs" || got.Comparisons >= want.Comparisons) {
				t.Errorf("%s: %d comparisons with cache %s, %d without", want.Metric, got.Comparisons, got.PairCache, want.Comparisons)
			}
		}
	}
}

var errEnough = errors.New("enough")

// TestInterruptions: stopped by errors again and again, as by crashes, or
// cancelled, the graph is the same, and no pair is paid for twice.
func TestInterruptions(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 1))
	data, fine := someRows(rng, 700), someRows(rng, 700)
	g1 := given(t, data, builder.Options{K: 6})
	opts := refine.Options{Distance: ofRows(chebyshev(fine)), K: 9, Visits: 50, Threads: 2, PairCache: builder.On, Memory: 8 * 9 * 200}
	straight, _ := refineNew(t, g1, opts)

	key := opts.Distance.Key
	var mu sync.Mutex
	var calls, limit int
	paid := map[[2]store.Row]int{}
	opts.Threads = 3 // they meet at the same pairs
	opts.Distance.Key = func(a, b store.Row) (float32, error) {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls > limit {
			return 0, errEnough
		}
		paid[[2]store.Row{a, b}]++
		return key(a, b)
	}
	dir := filepath.Join(t.TempDir(), "g2")
	for stops := 0; ; stops++ {
		limit = calls + 3000
		ctx, cancel := context.WithCancel(context.Background())
		if stops%2 == 1 {
			opts.Progress = func(e builder.Event) {
				if e.Done > 300 && (e.Phase == "walk" || e.Phase == "adjacency" && stops < 20) {
					cancel()
				}
			}
		}
		res, err := refine.Refine(ctx, dir, g1, opts)
		cancel()
		opts.Progress = nil
		if err == nil {
			t.Logf("%d stops", stops)
			if stops < 3 || res.Resumed != stops {
				t.Errorf("%d stops, %d resumes reported", stops, res.Resumed)
			}
			if res.Checksum != straight.Checksum {
				t.Errorf("checksum %s, without interruption %s", res.Checksum, straight.Checksum)
			}
			break
		}
		if !errors.Is(err, errEnough) && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if stops > 100 {
			t.Fatal("no end")
		}
	}
	for pair, times := range paid {
		if times > 1 {
			t.Fatalf("rows %v were paid for %d times", pair, times)
		}
	}
	again, err := refine.Refine(context.Background(), dir, g1, opts)
	if !errors.Is(err, store.ErrFinished) || again == nil || again.Checksum != straight.Checksum {
		t.Errorf("again: %v %v", again, err)
	}
	for name, change := range map[string]func(*refine.Options){
		"k":        func(o *refine.Options) { o.K = 8 },
		"visits":   func(o *refine.Options) { o.Visits = 51 },
		"version":  func(o *refine.Options) { d := *o.Distance; d.Version = 2; o.Distance = &d },
		"distance": func(o *refine.Options) { o.Distance = refine.RankOrder(5) },
		"vectors":  func(o *refine.Options) { o.Distance, o.Vectors = nil, input(t, fine) },
	} {
		o := opts
		change(&o)
		if _, err := refine.Refine(context.Background(), dir, g1, o); !errors.Is(err, store.ErrMismatch) {
			t.Errorf("another %s: %v", name, err)
		}
	}
}

// TestSealInterrupted: a refinement that was killed while its store was sealed is sealed
// and not made again.
func TestSealInterrupted(t *testing.T) {
	data := someRows(rand.New(rand.NewPCG(9, 1)), 300)
	g1 := given(t, data, builder.Options{K: 5})
	opts := refine.Options{Distance: ofRows(chebyshev(data))}
	dir := filepath.Join(t.TempDir(), "g2")
	want, err := refine.Refine(context.Background(), dir, g1, opts)
	if err != nil {
		t.Fatal(err)
	}
	lists := read(t, open(t, dir))
	if err := os.Remove(filepath.Join(dir, "SEAL")); err != nil {
		t.Fatal(err)
	}
	opts.Distance.Key = func(a, b store.Row) (float32, error) { return 0, errors.New("a pair was asked for again") }
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := refine.Refine(stopped, dir, g1, opts); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped while it is sealed: %v", err)
	}
	got, err := refine.Refine(context.Background(), dir, g1, opts)
	if err != nil || got.Checksum != want.Checksum || got.Comparisons != want.Comparisons {
		t.Fatalf("%+v %v, want %+v", got, err, want)
	}
	same(t, read(t, open(t, dir)), lists)
}

// TestTold: a refinement under way tells how far it is without its lock, as builds do, and nothing of that stays behind.
func TestTold(t *testing.T) {
	t.Parallel()
	data := someRows(rand.New(rand.NewPCG(9, 2)), 600)
	g1 := given(t, data, builder.Options{K: 5})
	dir := filepath.Join(t.TempDir(), "g2")
	var told builder.Told
	opts := refine.Options{Distance: ofRows(chebyshev(data)), Progress: func(e builder.Event) {
		for i := 0; i < 100 && e.Phase == "walk" && told.Phase == ""; i++ { // it is told once a second
			time.Sleep(50 * time.Millisecond)
			if text, _, err := store.Told(dir); err == nil && json.Unmarshal(text, &told) != nil {
				t.Errorf("told %q", text)
			}
		}
	}}
	if _, err := refine.Refine(context.Background(), dir, g1, opts); err != nil {
		t.Fatal(err)
	}
	if told.Phase == "" || told.Memory <= 0 || told.Seconds <= 0 {
		t.Errorf("told %+v", told)
	}
	if _, _, err := store.Told(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the refinement: %v", err)
	}
}

// TestFreesAll: however many batches the last pass takes, nothing of them is held when
// a refinement is done, and no file of lists is left.
func TestFreesAll(t *testing.T) { // not parallel: it counts what all hold
	defer offheap.MapFrom(1)()
	data := someRows(rand.New(rand.NewPCG(7, 1)), 600)
	g1 := given(t, data, builder.Options{K: 5})
	before := offheap.Held()
	dir := filepath.Join(t.TempDir(), "g2")
	if _, err := refine.Refine(context.Background(), dir, g1, refine.Options{Distance: refine.RankOrder(5), Memory: 1000}); err != nil {
		t.Fatal(err)
	}
	if held := offheap.Held(); held != before {
		t.Errorf("%d bytes are held, before it %d", held, before)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "scratch", "*-lists")); len(left) > 0 {
		t.Errorf("files are left: %q", left)
	}
}

// TestLongIDs: ids that are sorted in several runs.
func TestLongIDs(t *testing.T) {
	t.Parallel()
	const n = 2500
	ids := filepath.Join(t.TempDir(), "ids")
	var lines strings.Builder
	for row := range n {
		fmt.Fprintf(&lines, "%d%s\n", row, strings.Repeat("x", 4000))
	}
	if err := os.WriteFile(ids, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	g1 := given(t, someRows(rand.New(rand.NewPCG(6, 1)), n), builder.Options{K: 3, IDs: ids})
	dir := filepath.Join(t.TempDir(), "g2")
	if _, err := refine.Refine(context.Background(), dir, g1, refine.Options{Distance: refine.RankOrder(3)}); err != nil {
		t.Fatal(err)
	}
	if row, err := open(t, dir).RowOf("42" + strings.Repeat("x", 4000)); row != 42 || err != nil {
		t.Errorf("row %d, %v", row, err)
	}
}

// TestCarriesOver: ids, rows without a list, rows and order of G1, and a store
// that is sound.
func TestCarriesOver(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 1))
	const n = 200
	data := someRows(rng, n)
	data[17*dim], data[18*dim+2] = float32(math.NaN()), float32(math.Inf(1))
	fine := someRows(rng, n)
	fine[18*dim] = float32(math.NaN()) // of an isolated row: no matter
	ids := filepath.Join(t.TempDir(), "ids")
	var lines strings.Builder
	for row := range n {
		fmt.Fprintf(&lines, "thing %d\n", row)
	}
	if err := os.WriteFile(ids, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	g1 := given(t, data, builder.Options{K: 5, BadRows: builder.Isolate, IDs: ids})
	for _, opts := range []refine.Options{{Distance: refine.RankOrder(5)}, {Vectors: input(t, fine)}} {
		dir := filepath.Join(t.TempDir(), "g2")
		if _, err := refine.Refine(context.Background(), dir, g1, opts); err != nil {
			t.Fatal(err)
		}
		g2 := open(t, dir)
		if row, err := g2.RowOf("thing 42"); row != 42 || err != nil {
			t.Errorf("thing 42 is row %d, %v", row, err)
		}
		for row, list := range read(t, g2) {
			if want := map[bool]int{true: 0, false: 5}[row == 17 || row == 18]; len(list) != want {
				t.Errorf("row %d has %d neighbors, want %d", row, len(list), want)
			}
		}
		in, order, err := g2.Vectors()
		if err != nil {
			t.Fatal(err)
		}
		want := data
		if opts.Vectors != nil {
			want = fine
		}
		bytes, row := make([]byte, dim*4), make([]float32, dim)
		for place := range order {
			if err := in.ReadRows(place, bytes); err != nil {
				t.Fatal(err)
			}
			vectors.Decode(vectors.Float32, bytes, row)
			if at := int(order[place]) * dim; !slices.Equal(row, want[at:at+dim]) {
				t.Fatalf("row %d is %v, want %v", order[place], row, want[at:at+dim])
			}
		}
		in.Close()
		report, err := store.Check(context.Background(), dir, store.CheckOptions{Full: true})
		if err != nil || !report.OK() {
			t.Errorf("check: %v %+v", err, report)
		}
	}
}

// far are rows of float64 that float32 does not tell apart, as they are far from zero.
type far struct{ *vectors.Rows }

const farness = 1e9

func (f far) ReadRows(first int, dst []byte) error {
	for i := range len(dst) / 4 {
		binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(farness))
	}
	return nil
}

func (f far) ReadWide(first int, dst []float64) error {
	values := make([]float32, dim)
	for i := range len(dst) / dim {
		vectors.Decode(vectors.Float32, f.Row(first+i), values)
		for j, x := range values {
			dst[i*dim+j] = farness + float64(x)
		}
	}
	return nil
}

// TestHeldAsByBuild: new vectors whose squares float32 does not hold, or that it does not tell apart, are scaled and less an
// offset, as a build has them: the lists are those of the same vectors near 1. Offsets of the first graph are not those of
// new vectors.
func TestHeldAsByBuild(t *testing.T) {
	t.Parallel()
	data := someRows(rand.New(rand.NewPCG(7, 1)), 100)
	rows, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	times := func(by float32) *vectors.Input {
		scaled := slices.Clone(data)
		for i := range scaled {
			scaled[i] *= by
		}
		return input(t, scaled)
	}
	dir := filepath.Join(t.TempDir(), "far")
	if _, err := builder.Build(context.Background(), dir, vectors.NewInput(far{rows}), builder.Options{K: 4}); err != nil {
		t.Fatal(err)
	}
	near, from := given(t, data, builder.Options{K: 4}), open(t, dir)
	_, plain := refineNew(t, near, refine.Options{Vectors: input(t, data)})
	const small, large = 0x1p-90, 0x1p70
	for name, c := range map[string]struct {
		g1      *store.Store
		vectors *vectors.Input
		times   float32
	}{
		"small": {near, times(small), small}, "large": {near, times(large), large},
		"far": {near, vectors.NewInput(far{rows}), 1}, "of far ones": {from, input(t, data), 1},
	} {
		_, g2 := refineNew(t, c.g1, refine.Options{Vectors: c.vectors})
		for row := range store.Row(100) {
			want, _ := plain.Neighbors(row, nil)
			got, err := g2.Neighbors(row, nil)
			for i := range want {
				want[i].Distance *= c.times
			}
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s: row %d: %v, %v; want %v", name, row, got, err, want)
			}
		}
		if offsets := g2.Info().Manifest.Offsets; (offsets != nil) != (name == "far") {
			t.Errorf("%s: offsets %v", name, offsets)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 1))
	data := someRows(rng, 60)
	g1 := given(t, data, builder.Options{K: 4})
	nan := someRows(rng, 60)
	nan[7*dim+1] = float32(math.NaN())
	key := func(f func(a, b uint32) float32) refine.Options { return refine.Options{Distance: ofRows(f)} }
	lists := func(f func(a, b refine.List) (float32, error)) refine.Options {
		return refine.Options{Distance: &refine.Distance{Name: "mine", Lists: func() func(a, b refine.List) (float32, error) { return f }}}
	}
	for name, c := range map[string]struct {
		opts refine.Options
		says string
	}{
		"nothing asked": {refine.Options{}, "one of the two"},
		"other rows":    {refine.Options{Vectors: input(t, data[:40*dim])}, "40 vectors for a graph of 60 rows"},
		"NaN rows":      {refine.Options{Vectors: input(t, nan)}, "row 7"},
		"few visits":    {refine.Options{Distance: refine.RankOrder(4), K: 10, Visits: 9}, "Visits is 9, want 10, which is k, to"},
		"no function":   {refine.Options{Distance: &refine.Distance{Name: "none"}}, "one function"},
		"NaN":           {key(func(a, b uint32) float32 { return float32(math.NaN()) }), "value NaN"},
		"error":         {lists(func(a, b refine.List) (float32, error) { return 0, errEnough }), "distance mine of rows"},
		"asymmetric": {lists(func(a, b refine.List) (float32, error) {
			return float32(a.Row) + 0.1*float32(b.Row), nil
		}), "symmetric"},
	} {
		_, err := refine.Refine(context.Background(), filepath.Join(t.TempDir(), "g2"), g1, c.opts)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}
