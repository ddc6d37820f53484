package recall

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/builder/screen"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/products"
)

// randomRows are rows of few small values, so that keys tie.
func randomRows(t *testing.T, rng *rand.Rand, n, dim int, typ vectors.Type) *vectors.Rows {
	t.Helper()
	size := dim * typ.Size()
	data := make([]byte, n*size)
	values := make([]float32, dim)
	for i := range n {
		for d := range values {
			values[d] = float32(rng.IntN(3) + 1)
		}
		if err := vectors.Encode(typ, values, data[i*size:(i+1)*size]); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := vectors.RowsOf(data, n, dim, size, typ)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// slowly sorts all other places.
func slowly(n int, place uint32, s Search, key func(a, b uint32) float32) (ids []uint32, keys []float32) {
	row := func(p uint32) uint32 {
		if s.RowOf == nil {
			return p
		}
		return s.RowOf[p]
	}
	for p := range uint32(n) {
		if p != place && (s.Skip == nil || !s.Skip(p)) {
			ids = append(ids, p)
		}
	}
	slices.SortFunc(ids, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(key(place, a), key(place, b)), cmp.Compare(row(a), row(b)))
	})
	ids = ids[:min(s.K, len(ids))]
	for _, p := range ids {
		keys = append(keys, key(place, p))
	}
	return ids, keys
}

func screensOf(t *testing.T, rows *vectors.Rows, space *distance.Space) map[string]func() screen.Screen {
	byProducts, err := products.Of(rows, space, 2)
	if err != nil {
		t.Fatal(err)
	}
	screens := map[string]func() screen.Screen{"products": func() screen.Screen { return screen.Products(byProducts) }}
	if rounding, ok := codes.Fit(rows, space); ok && len(rounding.Offsets) == 0 {
		byCodes, err := codes.Of(rows, space, rounding, 2)
		if err != nil {
			t.Fatal(err)
		}
		screens["codes"] = func() screen.Screen { return screen.Codes(byCodes) }
	}
	return screens
}

func TestSearchAgainstSorting(t *testing.T) {
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 60 {
		n, dim := 1+rng.IntN(700), 1+rng.IntN(40)
		typ := []vectors.Type{vectors.Uint8, vectors.Int8, vectors.Float16, vectors.Float32}[rng.IntN(4)]
		metric := distance.Metric(1 + rng.IntN(4))
		s := Search{K: min(n-1, rng.IntN(30)), Threads: 1 + rng.IntN(3)}
		if rng.IntN(2) == 0 {
			s.RowOf = make([]uint32, n)
			for i, r := range rng.Perm(n) {
				s.RowOf[i] = uint32(r)
			}
		}
		if rng.IntN(3) == 0 {
			s.Skip = func(p uint32) bool { return p%5 == 2 }
		}
		rows := randomRows(t, rng, n, dim, typ)
		space, err := distance.New(metric, typ, dim)
		if err != nil {
			t.Fatal(err)
		}
		key := func(a, b uint32) float32 {
			x, y := rows.Row(int(a)), rows.Row(int(b))
			return space.Key(x, y, space.Norm(x), space.Norm(y))
		}
		places := Sample(n, 1+rng.IntN(20), 9, 9)
		var told atomic.Int64
		s.Progress = func(c int64) { told.Add(c) }
		byRows, computed, err := s.Rows(context.Background(), rows, space, places)
		if err != nil {
			t.Fatal(err)
		}
		if told.Load() != computed {
			t.Fatalf("seed %d: %d comparisons reported of %d", seed, told.Load(), computed)
		}
		byKeys, computedByKeys, err := s.Keys(context.Background(), n, places, Each(func(a, b uint32) (float32, error) { return key(a, b), nil }))
		if err != nil {
			t.Fatal(err)
		}
		if computed != computedByKeys || s.Skip == nil && computed != int64(len(places))*int64(n-1) {
			t.Fatalf("seed %d: %d and %d comparisons of %d places with %d", seed, computed, computedByKeys, len(places), n)
		}
		forms := map[string]*Lists{"rows": byRows, "keys": byKeys}
		s.Progress = nil
		newKeys := Each(func(a, b uint32) (float32, error) { return key(a, b), nil })
		for form, newScreen := range screensOf(t, rows, space) {
			if forms[form], _, err = s.Screened(context.Background(), n, dim, places, newScreen, newKeys); err != nil {
				t.Fatal(err)
			}
		}
		for i, place := range places {
			wantIDs, wantKeys := slowly(n, place, s, key)
			for form, lists := range forms {
				ids, keys := lists.List(i)
				if !slices.Equal(ids, wantIDs) || !slices.Equal(keys, wantKeys) {
					t.Fatalf("seed %d, %s, %v %v n=%d k=%d place %d:\n got %v %v\nwant %v %v", seed, form, metric, typ, n, s.K, place, ids, keys, wantIDs, wantKeys)
				}
			}
			if got := byRows.Recall(i, wantIDs, wantKeys); got != 1 {
				t.Fatalf("seed %d: recall of the exact list %v", seed, got)
			}
		}
	}
}

func TestSearchStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	_, computed, err := Search{K: 3}.Keys(ctx, 10000, []uint32{1, 2}, Each(func(a, b uint32) (float32, error) {
		if calls++; calls == 1000 {
			cancel()
		}
		return float32(b - a), nil
	}))
	if !errors.Is(err, context.Canceled) || computed > 2000 {
		t.Errorf("%v after %d comparisons", err, computed)
	}
	broken := errors.New("the robot arm is stuck")
	_, computed, err = Search{K: 3, Threads: 2}.Keys(context.Background(), 10000, []uint32{1, 2}, Each(func(a, b uint32) (float32, error) {
		if b == 300 {
			return 0, broken
		}
		return 1, nil
	}))
	if !errors.Is(err, broken) || computed < 256 {
		t.Errorf("%v after %d comparisons", err, computed)
	}
}

func TestSearchRefuses(t *testing.T) {
	ctx := context.Background()
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		_, _, err := Search{K: 1}.Keys(ctx, 5, []uint32{0}, Each(func(a, b uint32) (float32, error) { return bad, nil }))
		if err == nil || !strings.Contains(err.Error(), "distance of places 0 and 1 is") {
			t.Errorf("%v: %v", bad, err)
		}
	}
	one := Each(func(a, b uint32) (float32, error) { return 1, nil })
	for name, run := range map[string]func() error{
		"k":     func() error { _, _, err := Search{K: 5}.Keys(ctx, 5, nil, one); return err },
		"place": func() error { _, _, err := Search{K: 1}.Keys(ctx, 5, []uint32{5}, one); return err },
		"rowOf": func() error { _, _, err := Search{K: 1, RowOf: []uint32{0}}.Keys(ctx, 5, nil, one); return err },
	} {
		if run() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// failing is a source that cannot be read from some row on.
type failing struct {
	*vectors.Rows
	from int
}

var errDisk = errors.New("disk gone")

func (f failing) ReadRows(first int, dst []byte) error {
	if first >= f.from {
		return errDisk
	}
	return f.Rows.ReadRows(first, dst)
}

func TestSearchReportsReadErrors(t *testing.T) {
	rows := randomRows(t, rand.New(rand.NewPCG(1, 1)), 20000, 16, vectors.Uint8)
	space, err := distance.New(distance.Euclidean, vectors.Uint8, 16)
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []int{0, 8000} {
		_, _, err := Search{K: 2, Threads: 2}.Rows(context.Background(), failing{rows, from}, space, []uint32{0, 7})
		if !errors.Is(err, errDisk) {
			t.Errorf("unreadable from row %d: %v", from, err)
		}
	}
}

func BenchmarkSearchRows(b *testing.B) {
	const n, dim, m = 100000, 128, 200
	rows, space := rowstest.Bytes(b, rand.New(rand.NewPCG(1, 1)), n, dim, 256)
	places := Sample(n, m, 1, 0)
	for b.Loop() {
		if _, _, err := (Search{K: 20}).Rows(context.Background(), rows, space, places); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*m), "ns/comparison")
}
