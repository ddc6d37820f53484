package explore

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// clusters are groups of nodes with random edges inside and one edge to the next group.
func clusters(groups, size int) (pairs [][2]uint32) {
	rng := rand.New(rand.NewPCG(1, 2))
	for g := range groups {
		for i := range size {
			for range 6 {
				if j := rng.IntN(size); j != i {
					pairs = append(pairs, [2]uint32{uint32(g*size + i), uint32(g*size + j)})
				}
			}
		}
		pairs = append(pairs, [2]uint32{uint32(g * size), uint32((g + 1) % groups * size)})
	}
	return pairs
}

func laid(t *testing.T, n int, pairs [][2]uint32) *layout {
	t.Helper()
	l, err := newLayout(t.Context(), n, pairs, 1, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestLayoutEnds: whoever leaves the page's server does not wait for the map, and the shares that
// are told rise from 0 to less than 1.
func TestLayoutEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var shares []float64
	_, err := newLayout(ctx, 300, clusters(5, 60), 1, func(share float64) {
		if shares = append(shares, share); len(shares) == 7 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(shares) != 7 || shares[0] != 0 || !slices.IsSorted(shares) || shares[6] >= 1 {
		t.Errorf("%v after the shares %v", err, shares)
	}
}

// TestScaled: positions keep their order and fill the map, however far away a few of them are.
func TestScaled(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	values := make([]float32, 2000)
	for i := range values {
		values[i] = float32(rng.NormFloat64())
		if i%100 == 0 {
			values[i] *= 1e5
		}
	}
	at := scaled(values)
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	for i, next := range order[1:] {
		if at[next] < at[order[i]] {
			t.Fatalf("%v lies at %d, and %v at %d", values[order[i]], at[order[i]], values[next], at[next])
		}
	}
	if inner := at[order[1900]] - at[order[100]]; inner < math.MaxUint16/2 {
		t.Errorf("nine tenths of the values have %d of 65535 positions", inner)
	}
	if got := scaled([]float32{7, 7, 7}); got[0] == 0 || got[0] == math.MaxUint16 {
		t.Errorf("equal values lie on the border, at %d", got[0])
	}
}

// TestLayoutSeparates: nodes of a cluster lie nearer to their own center than to
// another's, and the same seed gives the same map.
func TestLayoutSeparates(t *testing.T) {
	const groups, size = 5, 60
	l := laid(t, groups*size, clusters(groups, size))
	var cx, cy [groups]float64
	for i := range l.n {
		cx[i/size] += float64(l.x[i]) / size
		cy[i/size] += float64(l.y[i]) / size
	}
	strayed := 0
	for i := range l.n {
		best, least := -1, math.Inf(1)
		for g := range groups {
			if d := math.Hypot(float64(l.x[i])-cx[g], float64(l.y[i])-cy[g]); d < least {
				best, least = g, d
			}
		}
		if best != i/size {
			strayed++
		}
	}
	if strayed > l.n/50 {
		t.Errorf("%d of %d nodes lie nearer to another cluster", strayed, l.n)
	}
	again := laid(t, groups*size, clusters(groups, size))
	if !slices.Equal(again.x, l.x) || !slices.Equal(again.y, l.y) {
		t.Error("the same graph and seed gave another map")
	}
}

// TestLayoutOfAnything: graphs without edges, of one node and of none have finite maps.
func TestLayoutOfAnything(t *testing.T) {
	for _, n := range []int{0, 1, 2, 17} {
		l := laid(t, n, nil)
		for i := range n {
			if x := float64(l.x[i] + l.y[i]); math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%d nodes: node %d at %v, %v", n, i, l.x[i], l.y[i])
			}
		}
	}
}
