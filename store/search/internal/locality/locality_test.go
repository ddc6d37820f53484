package locality

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

const dim = 6

// drawn are rows around points, in no order.
func drawn(t *testing.T, metric distance.Metric, n int) (*distance.Space, []byte, []float32) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	values := make([]float32, n*dim)
	for i := range n {
		center := rng.IntN(20)
		for j := range dim {
			values[i*dim+j] = float32((center*(j+3)*7)%80) + rng.Float32()
		}
	}
	rows, err := vectors.FromFloat32(values, dim)
	if err != nil {
		t.Fatal(err)
	}
	space, err := distance.New(metric, vectors.Float32, dim)
	if err != nil {
		t.Fatal(err)
	}
	return space, rows.Base(), values
}

func numbered(n int) []uint32 {
	numbers := make([]uint32, n)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	return numbers
}

// TestOrder: an order has every row once, is the same each time, and brings near rows together, under metrics with and
// without norms.
func TestOrder(t *testing.T) {
	const n = 3000
	for _, metric := range []distance.Metric{distance.Euclidean, distance.Cosine, distance.L1, distance.Chebyshev} {
		space, rows, values := drawn(t, metric, n)
		order := numbered(n)
		New(space, 1).Order(rows, order)
		again := numbered(n)
		d := New(space, 1)
		d.Order(rows, numbered(n))
		if d.Order(rows, again); !slices.Equal(order, again) {
			t.Errorf("%v: another order", metric)
		}
		steps := func(order []uint32) (sum float64) {
			for i := 1; i < n; i++ {
				for j := range dim {
					sum += math.Abs(float64(values[int(order[i])*dim+j] - values[int(order[i-1])*dim+j]))
				}
			}
			return sum
		}
		if came, now := steps(numbered(n)), steps(order); now > came/5 {
			t.Errorf("%v: rows that follow each other are %.0f apart, as they came %.0f", metric, now/n, came/n)
		}
		if slices.Sort(order); !slices.Equal(order, numbered(n)) {
			t.Errorf("%v: not every row once", metric)
		}
	}
}

// TestEqualRows: rows that no leader divides stay as they came.
func TestEqualRows(t *testing.T) {
	const n = 500
	space, rows, _ := drawn(t, distance.Euclidean, n)
	for i := range n {
		copy(rows[i*space.RowBytes():][:space.RowBytes()], rows)
	}
	order := numbered(n)
	if New(space, 1).Order(rows, order); !slices.Equal(order, numbered(n)) {
		t.Error("equal rows moved")
	}
	New(space, 1).Order(nil, nil)
}

// TestNearest: the nearest leader is that of all keys, also by a clone and after leaders were put in a chain.
func TestNearest(t *testing.T) {
	const n, count = 400, 30
	for _, metric := range []distance.Metric{distance.Euclidean, distance.Cosine} {
		space, rows, _ := drawn(t, metric, n)
		size := space.RowBytes()
		d := New(space, 1)
		d.Lead(rows[:count*size])
		d.Chain()
		c := d.Clone()
		for i := range n {
			row := rows[i*size:][:size]
			best, nearest := 0, float32(math.Inf(1))
			for l := range count {
				leader := d.leaders[l*size:][:size]
				if key := space.Key(row, leader, space.Norm(row), space.Norm(leader)); key < nearest {
					best, nearest = l, key
				}
			}
			if got := d.Nearest(row); int(got) != best || c.Nearest(row) != got {
				t.Fatalf("%v: row %d goes to %d, by a clone %d, want %d", metric, i, got, c.Nearest(row), best)
			}
		}
	}
}

func TestGather(t *testing.T) {
	out := make([]uint32, 5)
	ends := Gather([]uint32{10, 11, 12, 13, 14}, []uint16{2, 0, 2, 0, 3}, 4, out)
	if !slices.Equal(out, []uint32{11, 13, 10, 12, 14}) || !slices.Equal(ends, []int{2, 2, 4, 5}) {
		t.Error(out, ends)
	}
	if Gather(nil, []uint16{1, 0, 1}, 2, out); !slices.Equal(out[:3], []uint32{1, 0, 2}) {
		t.Error(out)
	}
}
