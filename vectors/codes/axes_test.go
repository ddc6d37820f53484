package codes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/internal/simd"
)

// flatMatrix is codes of n rows that vary along some directions, and by noise.
func flatMatrix(t testing.TB, rng *rand.Rand, n, dim, directions, noise int) *Matrix {
	t.Helper()
	kernel, err := simd.Choose()
	if err != nil {
		t.Fatal(err)
	}
	mix := make([]float64, directions*dim)
	for i := range mix {
		mix[i] = rng.NormFloat64()
	}
	m := newMatrix(kernel, n, dim)
	for i := range n {
		row := make([]float64, dim)
		for j := range directions {
			along := 4 * rng.NormFloat64()
			for c := range row {
				row[c] += along * mix[j*dim+c]
			}
		}
		for c, x := range row {
			x += 128 + float64(noise)*(rng.Float64()-0.5)
			m.row(i)[c] = byte(max(0, min(255, x)))
		}
	}
	if err := m.addUp(kernel, 1); err != nil {
		t.Fatal(err)
	}
	return m
}

// alongAll returns the codes of rows along all of some axes.
func alongAll(m *Matrix, a *Axes, threads int) (*Matrix, error) {
	n, err := m.Nested(a, threads)
	if err != nil {
		return nil, err
	}
	return n.First(a.Count)
}

// TestAlong: codes along axes are the rounded products, element by element, and their
// distances those of the codes.
func TestAlong(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, dim := range []int{3, 64, 130, 400} {
		m := flatMatrix(t, rng, 1+rng.IntN(700), dim, 5, 20)
		a := &Axes{Dim: m.Dim(), Count: 32 * (1 + rng.IntN(3)), Factor: 1 + int32(rng.Uint32()>>(8+rng.Uint32N(8)))}
		a.Codes, a.Offsets = make([]byte, a.Count*a.Dim), make([]int32, a.Count)
		for i := range a.Codes {
			a.Codes[i] = byte(1 + rng.IntN(255))
		}
		for j := range a.Offsets {
			a.Offsets[j] = int32(rng.IntN(100000) - 50000)
		}
		o, err := alongAll(m, a, 2)
		if err != nil {
			t.Fatal(err)
		}
		if !o.Reduced() || o.Exact() || o.Len() != m.Len() || o.Dim() != a.Count {
			t.Fatalf("reduced %v, exact %v, %d rows of %d", o.Reduced(), o.Exact(), o.Len(), o.Dim())
		}
		for i := range m.Len() {
			for j := range a.Count {
				product := -int64(a.Offsets[j])
				for c, x := range m.row(i) {
					product += int64(x) * (int64(a.Codes[j*a.Dim+c]) - 128)
				}
				step := math.Floor(float64(product)*float64(a.Factor)/(1<<simd.StepsShift) + 0.5)
				if want := byte(max(-128, min(127, step)) + 128); o.row(i)[j] != want {
					t.Fatalf("row %d along axis %d of %d: code %d, want %d", i, j, a.Count, o.row(i)[j], want)
				}
			}
		}
		tile := o.NewTile()
		tile.Columns([]uint32{0}, nil)
		tile.Rows([]uint32{uint32(m.Len() - 1)}, 1)
		if d, _ := tile.Within(0, math.MaxUint32); d[0] != o.Distance(0, uint32(m.Len()-1)) {
			t.Fatalf("distance %d, want %d", d[0], o.Distance(0, uint32(m.Len()-1)))
		}
	}
}

// TestRest: of what a row has beside the axes, its distances get a share.
func TestRest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	m := flatMatrix(t, rng, 300, 130, 40, 20)
	b, err := m.Basis(64, 2)
	if err != nil {
		t.Fatal(err)
	}
	a, err := b.Axes(32, 2)
	if err != nil {
		t.Fatal(err)
	}
	o, err := alongAll(m, a, 2)
	if err != nil {
		t.Fatal(err)
	}
	shares := make([]uint32, m.Len()) // a row has nothing, or more along the axes for rounding
	for i := range shares {
		far, along := 0.0, 0.0
		for j, x := range m.row(i) {
			far += (float64(x) - float64(a.Center[j])) * (float64(x) - float64(a.Center[j]))
		}
		for _, x := range o.row(i) {
			along += (float64(x) - 128) * (float64(x) - 128)
		}
		shares[i] = uint32(max(0, restShare*(float64(a.Scale*far)-along)))
		if o.Same(uint32(i)) != 2*shares[i] {
			t.Fatalf("row %d is %d from one like it, want %d", i, o.Same(uint32(i)), 2*shares[i])
		}
	}
	if slices.Max(shares) == 0 {
		t.Error("no row has anything beside 32 axes of 40 directions")
	}
	tile := o.NewTile()
	tile.Columns([]uint32{7, 9}, nil)
	tile.Rows([]uint32{100}, 2)
	d, _ := tile.Within(0, math.MaxUint32)
	for i, p := range []uint32{7, 9} {
		if want := o.Distance(100, p) + shares[100] + shares[p]; d[i] != want {
			t.Errorf("row %d is %d from row 100, want %d", p, d[i], want)
		}
	}
	for _, wrong := range []func(a *Axes){func(a *Axes) { a.Center = a.Center[1:] }, func(a *Axes) { a.Scale = -1 }, func(a *Axes) { a.Scale = math.NaN() }} {
		other := *a
		wrong(&other)
		if _, err := alongAll(m, &other, 1); err == nil {
			t.Errorf("a center of %d codes and scale %v were taken", len(other.Center), other.Scale)
		}
	}
	n, err := m.Nested(a, 1)
	if err != nil {
		t.Fatal(err)
	}
	n.Plain()
	plain, err := n.First(32)
	if err != nil || !slices.Equal(plain.data, o.data) || plain.Same(0) != 0 || plain.Distance(3, 4) != plain.sums[3].norm+plain.sums[4].norm-2*dotOf(plain.row(3), plain.row(4)) {
		t.Errorf("without the rest: %v", err)
	}
	again, err := alongAll(m, a.Plain(), 1)
	if err != nil || !slices.Equal(again.sums, plain.sums) || again.rest != nil || plain.rest != nil {
		t.Errorf("plain axes: %v, sums equal: %v", err, again != nil && slices.Equal(again.sums, plain.sums))
	}
}

func dotOf(x, y []byte) (sum uint32) {
	for i, a := range x {
		sum += uint32(a) * uint32(y[i])
	}
	return sum
}

// TestNested: the first of axes give what they give alone, taken together or not.
func TestNested(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	m := flatMatrix(t, rng, 300, 200, 90, 20)
	b, err := m.Basis(160, 2)
	if err != nil {
		t.Fatal(err)
	}
	a, err := b.Axes(160, 2)
	if err != nil {
		t.Fatal(err)
	}
	if a.Lead != LeadAxes {
		t.Errorf("%d axes lead, want %d", a.Lead, LeadAxes)
	}
	n, err := m.Nested(a, 2)
	if err != nil {
		t.Fatal(err)
	}
	check := func(count int) {
		t.Helper()
		first, err := n.First(count)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := alongAll(m, a.First(count), 1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.n {
			if !slices.Equal(first.row(i), alone.row(i)) {
				t.Fatalf("row %d along the first %d axes is %v, along these alone %v", i, count, first.row(i), alone.row(i))
			}
		}
		if !slices.Equal(first.sums, alone.sums) || !slices.Equal(first.rest, alone.rest) {
			t.Errorf("%d axes: other sums", count)
		}
	}
	for _, count := range []int{160, 32, 96, 64} {
		check(count)
	}
	if taken := n.Take(96); taken.Count != 96 || taken.Lead != LeadAxes || len(taken.Codes) != 96*a.Dim || len(taken.Offsets) != 96 {
		t.Errorf("%d axes taken, want 96, %d codes, %d lead", taken.Count, len(taken.Codes), taken.Lead)
	}
	check(96)
	check(64)
}

// TestBasis: directions are orthonormal or nothing, those along which rows vary beyond
// rounding, and the first of them have nearly all that rows vary by.
func TestBasis(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	for _, c := range []struct{ n, dim, directions, noise int }{
		{3000, 100, 20, 8}, {3000, 256, 3, 0}, {40, 128, 20, 8}, {2, 64, 1, 0}, {1, 64, 1, 9}, {500, 64, 0, 0},
	} {
		m := flatMatrix(t, rng, c.n, c.dim, c.directions, c.noise)
		b, err := m.Basis(64, 3)
		if err != nil {
			t.Fatal(err)
		}
		whole := 0
		for i := range b.count {
			for j := range i + 1 {
				var dot float64
				for k, x := range b.direction(i) {
					dot += float64(x) * float64(b.direction(j)[k])
				}
				switch {
				case i == j && math.Abs(dot-1) < 1e-4:
					whole++
				case i == j && dot == 0: // it depended on those before
				case i == j || math.Abs(dot) > 0.005 && (c.noise > 0 || j < c.directions):
					t.Fatalf("%+v: directions %d and %d have product %v", c, i, j, dot)
				}
			}
		}
		if least := min(c.directions, c.n-1); whole < least {
			t.Errorf("%+v: %d directions, want at least %d", c, whole, least)
		}
		if c.n == 3000 {
			if kept := b.kept(m, 32); kept < 0.97 {
				t.Errorf("%+v: 32 directions have %v of what rows vary by", c, kept)
			}
		}
		if _, err := b.Axes(32, 2); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// kept is the share of what rows vary by along the first count directions.
func (b *Basis) kept(m *Matrix, count int) float64 {
	var along, all float64
	mean := make([]float64, m.Dim())
	for i := range m.n {
		for c, x := range m.row(i) {
			mean[c] += float64(x) / float64(m.n)
		}
	}
	for i := range m.n {
		for c, x := range m.row(i) {
			all += (float64(x) - mean[c]) * (float64(x) - mean[c])
		}
		for j := range count {
			var dot float64
			for c, x := range m.row(i) {
				dot += (float64(x) - mean[c]) * float64(b.direction(j)[c])
			}
			along += dot * dot
		}
	}
	return along / all
}

// TestAxesKeepDistances: distances along axes are those of the rows, in one unit, where
// rows vary along fewer directions; and all axes count alike.
func TestAxesKeepDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	m := flatMatrix(t, rng, 2000, 256, 20, 2)
	b, err := m.Basis(128, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, count := range []int{32, 96, 128} {
		a, err := b.Axes(count, 2)
		if err != nil {
			t.Fatal(err)
		}
		o, err := alongAll(m, a, 2)
		if err != nil {
			t.Fatal(err)
		}
		var ratios []float64
		for range 500 {
			x, y := rng.Uint32N(2000), rng.Uint32N(2000)
			if x != y {
				ratios = append(ratios, float64(o.Distance(x, y))/float64(m.Distance(x, y)))
			}
		}
		slices.Sort(ratios)
		if low, high := ratios[0], ratios[len(ratios)-1]; high > 1.2*low {
			t.Errorf("%d axes: distances are between %v and %v times those of the rows", count, low, high)
		}
		spread := make([]float64, count)
		for i := range o.n {
			for j, x := range o.row(i) {
				spread[j] += (float64(x) - 128) * (float64(x) - 128)
			}
		}
		spread = spread[:min(count, LeadAxes)] // the block that has the 20 directions
		if low, high := slices.Min(spread), slices.Max(spread); high > 30*low {
			t.Errorf("%d axes: rows vary between %v and %v along them", count, low, high)
		}
	}
}

func TestAxesOfOtherRows(t *testing.T) {
	m := flatMatrix(t, rand.New(rand.NewPCG(5, 4)), 10, 64, 2, 3)
	for _, a := range []Axes{
		{}, {Dim: 60, Count: 32, Codes: make([]byte, 60*32), Offsets: make([]int32, 32)},
		{Dim: 64, Count: 31, Codes: make([]byte, 64*31), Offsets: make([]int32, 31)},
		{Dim: 64, Count: 32, Codes: make([]byte, 64*31), Offsets: make([]int32, 32)},
		{Dim: 64, Count: 32, Codes: make([]byte, 64*32), Offsets: make([]int32, 3)},
		{Dim: 64, Count: -32, Codes: nil, Offsets: nil},
	} {
		if _, err := alongAll(m, &a, 1); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d axes of %d dimensions for rows of 64", a.Count, a.Dim)) {
			t.Errorf("%d axes of %d: %v", a.Count, a.Dim, err)
		}
	}
	for _, lead := range []int{-32, 31, 64} {
		a := Axes{Dim: 64, Count: 32, Codes: make([]byte, 64*32), Offsets: make([]int32, 32), Lead: lead}
		if _, err := alongAll(m, &a, 1); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d leading axes of 32", lead)) {
			t.Errorf("%d leading axes: %v", lead, err)
		}
	}
}

// TestSome: rows taken from a matrix are as they were, views as well.
func TestSome(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	rows, err := vectors.RowsOf(make([]byte, 50*20), 50, 16, 20, vectors.Uint8) // a view, of strides
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows.Base() {
		rows.Base()[i] = byte(rng.Uint32())
	}
	m, _ := matrixOf(t, rows, distance.SqEuclidean)
	places := []uint32{49, 3, 3, 0}
	o := m.Some(places)
	for i, p := range places {
		if !slices.Equal(o.row(i), m.row(int(p))) || o.sums[i] != m.sums[p] {
			t.Errorf("row %d is not row %d", i, p)
		}
	}
}

func BenchmarkAxes(b *testing.B) {
	m := flatMatrix(b, rand.New(rand.NewPCG(5, 6)), 20000, 384, 60, 20)
	basis, err := m.Basis(256, 2)
	if err != nil {
		b.Fatal(err)
	}
	axes, err := basis.Axes(256, 2)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("basis", func(b *testing.B) {
		for b.Loop() {
			_, _ = m.Basis(256, 2)
		}
	})
	b.Run("axes", func(b *testing.B) {
		for b.Loop() {
			_, _ = basis.Axes(256, 2)
		}
	})
	b.Run("along", func(b *testing.B) {
		for b.Loop() {
			_, _ = alongAll(m, axes, 2)
		}
	})
}
