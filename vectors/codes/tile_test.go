package codes

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

func byteRows(t *testing.T, rng *rand.Rand, n, dim int, typ vectors.Type) *vectors.Rows {
	data := make([]byte, n*dim)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	rows, err := vectors.RowsOf(data, n, dim, dim, typ)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func matrixOf(t *testing.T, rows *vectors.Rows, metric distance.Metric) (*Matrix, *distance.Space) {
	space, err := distance.New(metric, rows.Type(), rows.Dim())
	if err != nil {
		t.Fatal(err)
	}
	r, ok := Fit(rows, space)
	if !ok {
		t.Fatal("no rounding")
	}
	m, err := Of(rows, space, r, 2)
	if err != nil {
		t.Fatal(err)
	}
	return m, space
}

// Bytes are their own codes: tiles give the keys.
func TestTilesOfBytesAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, typ := range []vectors.Type{vectors.Uint8, vectors.Int8} {
		for _, dim := range []int{1, 3, 4, 24, 61, 128, 130} {
			rows := byteRows(t, rng, 100, dim, typ)
			m, space := matrixOf(t, rows, distance.SqEuclidean)
			tile := m.NewTile()
			columns := make([]uint32, 1+rng.IntN(99))
			for i := range columns {
				columns[i] = uint32(rng.IntN(100))
			}
			tile.Columns(columns, nil)
			band := []uint32{7, 99, 0}
			tile.Rows(band, len(columns))
			for r, x := range band {
				distances, ids := tile.Within(r, ^uint32(0))
				if !slices.Equal(ids, columns) {
					t.Fatalf("ids %v, want %v", ids, columns)
				}
				for j, y := range ids {
					key := space.Key(rows.Row(int(x)), rows.Row(int(y)), 0, 0)
					if float32(distances[j]) != key || m.Distance(x, y) != distances[j] {
						t.Fatalf("%v, dim %d: distance of %d and %d is %d, want %v", typ, dim, x, y, distances[j], key)
					}
				}
				checkBounds(t, tile, r, distances)
			}
		}
	}
}

// TestMarked: of pairs, those are told that either end takes, among the columns asked for.
func TestMarked(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for _, dim := range []int{3, 16, 130} {
		m, _ := matrixOf(t, byteRows(t, rng, 300, dim, vectors.Uint8), distance.SqEuclidean)
		tile := m.NewTile()
		for range 20 {
			columns := make([]uint32, 1+rng.IntN(200))
			for i := range columns {
				columns[i] = uint32(rng.IntN(300))
			}
			tile.Columns(columns, nil)
			band := columns[:min(len(columns), 1+rng.IntN(BandRows))]
			bounds, either := make([]uint32, len(band)), make([]uint32, len(columns)+15)
			for r := range bounds {
				bounds[r] = m.Distance(band[r], uint32(rng.IntN(300)))
			}
			for j := range columns {
				either[j] = m.Distance(columns[j], uint32(rng.IntN(300))) / 2
			}
			tile.Pairs(band, len(columns), bounds, either)
			for r, x := range band {
				wide := rng.IntN(len(columns) + 1)
				near, distances := tile.Marked(r, wide)
				if len(distances) != wide {
					t.Fatalf("%d distances of %d columns", len(distances), wide)
				}
				var want []uint32
				for j := range wide {
					d := m.Distance(x, columns[j])
					if d > max(bounds[r], either[j]) {
						continue
					}
					if want = append(want, uint32(j)); distances[j] != d {
						t.Fatalf("dim %d, row %d, column %d: distance %d, want %d", dim, r, j, distances[j], d)
					}
				}
				if !slices.Equal(near, want) {
					t.Fatalf("dim %d, row %d, the first %d of %d columns: %d are near, want %d", dim, r, wide, len(columns), near, want)
				}
			}
		}
	}
}

// TestRowsOfAnotherMatrix: a tile compares them as if they stood in its own.
func TestRowsOfAnotherMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	for _, dim := range []int{3, 16, 130} { // copies, a view, copies
		m, _ := matrixOf(t, byteRows(t, rng, 70, dim, vectors.Uint8), distance.SqEuclidean)
		o, _ := matrixOf(t, byteRows(t, rng, 9, dim, vectors.Uint8), distance.SqEuclidean)
		columns := make([]uint32, m.Len())
		for i := range columns {
			columns[i] = uint32(i)
		}
		tile := m.NewTile()
		tile.Columns(columns, nil)
		band := []uint32{8, 0, 3}
		tile.RowsOf(o, band, len(columns))
		for r, x := range band {
			distances, ids := tile.Within(r, ^uint32(0))
			if !slices.Equal(ids, columns) {
				t.Fatalf("ids %v, want %v", ids, columns)
			}
			for j, y := range ids {
				if want := o.DistanceTo(x, m, y); distances[j] != want {
					t.Fatalf("dim %d: distance of %d and %d is %d, want %d", dim, x, y, distances[j], want)
				}
			}
		}
	}
}

// checkBounds holds Bound and Nearest against the distances themselves.
func checkBounds(t *testing.T, tile *Tile, r int, distances []uint32) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(distances))
	for _, k := range []int{1, 2, 5, 16, 17, 28, 31, 40, 47, max(1, len(sorted)/2), len(sorted), len(sorted) + 1} {
		got := tile.Bound(r, k)
		if k > len(sorted) {
			if got != ^uint32(0) {
				t.Fatalf("bound of %d among %d is %d", k, len(sorted), got)
			}
			continue
		}
		if got < sorted[k-1] {
			t.Fatalf("bound of %d among %d is %d, but the last of them is at %d", k, len(sorted), got, sorted[k-1])
		}
	}
	all, _ := tile.Within(r, ^uint32(0))
	want := slices.Index(all, sorted[0])
	if got := tile.Nearest()[r]; int(got) != want {
		t.Fatalf("nearest is %d, want %d", got, want)
	}
}

// Codes of floats keep distances to about their steps, under every metric that orders them.
func TestCodesOfFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	const n, dim = 300, 37
	data := make([]byte, 4*n*dim)
	for i := range n * dim {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(float32(rng.NormFloat64()*0.01+float64(i%dim))))
	}
	rows, err := vectors.RowsOf(data, n, dim, 4*dim, vectors.Float32)
	if err != nil {
		t.Fatal(err)
	}
	for _, metric := range []distance.Metric{distance.SqEuclidean, distance.Cosine, distance.Correlation} {
		m, space := matrixOf(t, rows, metric)
		var worst float64
		for range 2000 {
			a, b := rng.IntN(n), rng.IntN(n)
			if a == b {
				continue
			}
			x, y := rows.Row(a), rows.Row(b)
			key := float64(space.Key(x, y, space.Norm(x), space.Norm(y)))
			code := float64(m.Distance(uint32(a), uint32(b)))
			worst = max(worst, math.Abs(math.Log(code/key)-math.Log(float64(m.Distance(0, 1))/float64(space.Key(rows.Row(0), rows.Row(1), space.Norm(rows.Row(0)), space.Norm(rows.Row(1)))))))
		}
		if worst > 0.1 {
			t.Errorf("%v: code distances stray from keys by a factor of %.3f", metric, math.Exp(worst))
		}
	}
}

func TestReach(t *testing.T) {
	for _, d := range []uint32{0, 1, 1 << 20, 1<<24 - 1, 1 << 24, 1<<24 + 1, 1<<24 + 3, 1<<31 + 129, 65536 * 255 * 255} {
		got := Reach(float32(d))
		if got < d {
			t.Errorf("%d does not reach itself: %d", d, got)
		}
		if d < 1<<23 && got != d {
			t.Errorf("%d reaches %d", d, got)
		}
	}
	if Reach(float32(math.Inf(1))) != math.MaxUint32 {
		t.Error("no bound does not reach everything")
	}
}

func TestReordered(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for _, dim := range []int{8, 9} {
		for _, metric := range []distance.Metric{distance.Euclidean, distance.Cosine} {
			rows := byteRows(t, rng, 50, dim, vectors.Uint8)
			m, space := matrixOf(t, rows, metric)
			order := make([]uint32, 50)
			data := make([]byte, 0, 50*dim)
			for i, j := range rng.Perm(50) {
				order[i] = uint32(j)
				data = append(data, rows.Row(j)...)
			}
			moved, err := vectors.RowsOf(data, 50, dim, dim, vectors.Uint8)
			if err != nil {
				t.Fatal(err)
			}
			rounding, _ := Fit(rows, space)
			want, err := Of(moved, space, rounding, 1)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.Reordered(moved, order, 2)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.sums, want.sums) {
				t.Fatalf("dim %d, %v: sums differ", dim, metric)
			}
			for i := range 50 {
				if !slices.Equal(got.row(i), want.row(i)) {
					t.Fatalf("dim %d, %v: row %d is %v, want %v", dim, metric, i, got.row(i), want.row(i))
				}
			}
		}
	}
}

func TestNoCodesForInnerProducts(t *testing.T) {
	rows := byteRows(t, rand.New(rand.NewPCG(3, 3)), 10, 8, vectors.Uint8)
	space, err := distance.New(distance.IP, vectors.Uint8, 8)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := Fit(rows, space); ok {
		t.Error("inner products were given codes")
	}
}

func ExampleTile() {
	rows, _ := vectors.RowsOf([]byte{0, 0, 0, 0, 1, 2, 2, 0, 9, 9, 9, 9}, 3, 4, 4, vectors.Uint8)
	space, _ := distance.New(distance.Euclidean, vectors.Uint8, 4)
	m, _ := Of(rows, space, Rounding{}, 1)
	t := m.NewTile()
	t.Columns([]uint32{0, 1, 2}, nil)
	t.Band(0, 1, 3)
	t.Select([]uint32{100})
	fmt.Println(t.Near(0))
	// Output: [0 9] [0 1]
}

// TestLargest: they are those of a sorted list, ties and all.
func TestLargest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for range 200 {
		values := make([]float64, 1+rng.IntN(300))
		for i := range values {
			values[i] = float64(rng.IntN(40))
		}
		m := 1 + rng.IntN(len(values))
		got := largest(values, m)
		slices.Sort(values)
		slices.Reverse(values)
		if !slices.Equal(got, values[:m]) {
			t.Fatalf("the %d largest are %v, want %v", m, got, values[:m])
		}
	}
}

// TestBoundOfMany: of many columns no bound leaves out one of the nearest, whatever their
// order, and of columns in no order not many more than asked for come within it.
func TestBoundOfMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 10))
	for _, n := range []int{63, 64, 500, 1500, 2048} {
		for _, order := range []string{"none", "near ones together", "few values"} {
			tile, distances := tileOfLine(t, rng, n, order)
			sorted := slices.Sorted(slices.Values(distances))
			for _, k := range []int{1, 15, 16, 17, 30, 31, 32, 47, 64, 101, 126, 300} {
				if k > n {
					continue
				}
				got := tile.Bound(0, k)
				if got < sorted[k-1] {
					t.Fatalf("%d columns, order %s: bound of %d is %d, but the last of them is at %d", n, order, k, got, sorted[k-1])
				}
				within, _ := tile.Within(0, got)
				if order == "none" && n >= 500 && k > 1 && 2*k < n && len(within) > 4*k+40 {
					t.Errorf("%d columns: %d come within the bound of %d", n, len(within), k)
				}
			}
		}
	}
}

// tileOfLine is a tile with a band of one row, and the distances of its columns.
func tileOfLine(t *testing.T, rng *rand.Rand, n int, order string) (*Tile, []uint32) {
	t.Helper()
	const dim = 16
	data := make([]byte, (n+1)*dim)
	for i := range data {
		data[i] = byte(rng.Uint32())
		switch order {
		case "near ones together":
			data[i] = byte(i / dim * 255 / n)
		case "few values":
			data[i] = byte(i / dim % 7)
		}
	}
	rows, err := vectors.RowsOf(data, n+1, dim, dim, vectors.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := matrixOf(t, rows, distance.SqEuclidean)
	columns, distances := make([]uint32, n), make([]uint32, n)
	for i := range columns {
		columns[i], distances[i] = uint32(i), m.Distance(uint32(n), uint32(i))
	}
	tile := m.NewTile()
	tile.Columns(columns, nil)
	tile.Rows([]uint32{uint32(n)}, n)
	return tile, distances
}

// BenchmarkBound: how long a first bound takes, and how many columns come within it.
func BenchmarkBound(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 9))
	data := make([]byte, 1000*16)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	rows, err := vectors.RowsOf(data, 1000, 16, 16, vectors.Uint8)
	if err != nil {
		b.Fatal(err)
	}
	space, err := distance.New(distance.SqEuclidean, vectors.Uint8, 16)
	if err != nil {
		b.Fatal(err)
	}
	m, err := Of(rows, space, Rounding{}, 1)
	if err != nil {
		b.Fatal(err)
	}
	columns := make([]uint32, m.Len())
	for i := range columns {
		columns[i] = uint32(i)
	}
	tile := m.NewTile()
	tile.Columns(columns, nil)
	tile.Rows(columns[:BandRows], len(columns))
	for _, k := range []int{4, 29, 63, 126} {
		b.Run(fmt.Sprint(k), func(b *testing.B) {
			within, _ := tile.Within(0, tile.Bound(0, k))
			b.ReportMetric(float64(len(within)), "columns")
			for b.Loop() {
				tile.Bound(0, k)
			}
		})
	}
}
