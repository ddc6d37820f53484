package propagation

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// graph is a random graph over points on a line with few distinct coordinates.
type graph struct {
	at    []float32
	lists [][]uint32
}

func (g *graph) key(a, b uint32) float32 { d := g.at[a] - g.at[b]; return d * d }

func (g *graph) List(p uint32) ([]uint32, []float32) {
	keys := make([]float32, len(g.lists[p]))
	for i, q := range g.lists[p] {
		keys[i] = g.key(p, q)
	}
	return g.lists[p], keys
}

func (g *graph) keys(x uint32, ids []uint32, out []float32) (int, error) {
	for i, id := range ids {
		out[i] = g.key(x, id)
	}
	return len(ids), nil
}

func randomGraph(rng *rand.Rand) *graph {
	n := 2 + rng.IntN(60)
	g := &graph{at: make([]float32, n), lists: make([][]uint32, n)}
	for i := range g.at {
		g.at[i] = float32(rng.IntN(12))
	}
	for p := range g.lists {
		for _, q := range rng.Perm(n)[:min(n, rng.IntN(6))] {
			if q != p {
				g.lists[p] = append(g.lists[p], uint32(q))
			}
		}
		slices.SortFunc(g.lists[p], func(a, b uint32) int {
			return cmp.Or(cmp.Compare(g.key(uint32(p), a), g.key(uint32(p), b)), cmp.Compare(a, b))
		})
	}
	return g
}

// slow is the paper's procedure with a sorted slice for a queue.
func (g *graph) slow(p uint32, visits int) (found []uint32) {
	var queue []uint32
	visit := func(q uint32) {
		for _, id := range g.lists[q] {
			if id != p && len(found) < visits && !slices.Contains(found, id) {
				found = append(found, id)
				queue = append(queue, id)
			}
		}
	}
	for visit(p); len(queue) > 0 && len(found) < visits; {
		slices.SortFunc(queue, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(g.key(p, a), g.key(p, b)), cmp.Compare(a, b))
		})
		top := queue[0]
		queue = queue[1:]
		visit(top)
	}
	return found
}

func TestAroundEqualsSlowQueue(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 300 {
		g := randomGraph(rng)
		visits := 1 + rng.IntN(40)
		for _, reuse := range []bool{false, true} {
			b := New(g, g.keys, nil, visits, reuse)
			for p := range uint32(len(g.lists)) {
				ids, keys, err := b.Around(p)
				if want := g.slow(p, visits); err != nil || !slices.Equal(ids, want) {
					t.Fatalf("seed %d: around %d: %v, want %v", seed, p, ids, want)
				}
				for i, id := range ids {
					if keys[i] != g.key(p, id) {
						t.Fatalf("seed %d: key of %d, %d is %v", seed, p, id, keys[i])
					}
				}
			}
		}
	}
}
