package explore

import (
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

// TestLayoutSeparates: nodes of a cluster lie nearer to their own center than to
// another's, and the same seed gives the same map.
func TestLayoutSeparates(t *testing.T) {
	const groups, size = 5, 60
	l := newLayout(groups*size, clusters(groups, size), 1)
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
	again := newLayout(groups*size, clusters(groups, size), 1)
	if !slices.Equal(again.x, l.x) || !slices.Equal(again.y, l.y) {
		t.Error("the same graph and seed gave another map")
	}
}

// TestLayoutOfAnything: graphs without edges, of one node and of none have finite maps.
func TestLayoutOfAnything(t *testing.T) {
	for _, n := range []int{0, 1, 2, 17} {
		l := newLayout(n, nil, 1)
		for i := range n {
			if x := float64(l.x[i] + l.y[i]); math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%d nodes: node %d at %v, %v", n, i, l.x[i], l.y[i])
			}
		}
	}
}
