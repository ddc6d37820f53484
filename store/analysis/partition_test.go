package analysis_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/store/analysis"
)

// flooded counts components by walking from every node not yet seen.
func flooded(n int, edges [][2]uint32) (count int) {
	beside := make([][]uint32, n)
	for _, e := range edges {
		beside[e[0]], beside[e[1]] = append(beside[e[0]], e[1]), append(beside[e[1]], e[0])
	}
	seen := make([]bool, n)
	for start := range uint32(n) {
		if seen[start] {
			continue
		}
		count++
		seen[start] = true
		for queue := []uint32{start}; len(queue) > 0; {
			node := queue[0]
			queue = queue[1:]
			for _, next := range beside[node] {
				if !seen[next] {
					seen[next] = true
					queue = append(queue, next)
				}
			}
		}
	}
	return count
}

func of(edges [][2]uint32) func(yield func(a, b uint32)) {
	return func(yield func(a, b uint32)) {
		for _, e := range edges {
			yield(e[0], e[1])
		}
	}
}

func TestComponentsAgainstWalking(t *testing.T) {
	const seed = 6
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 500 {
		n := 1 + rng.IntN(80)
		edges := make([][2]uint32, rng.IntN(2*n))
		for i := range edges {
			edges[i] = [2]uint32{uint32(rng.IntN(n)), uint32(rng.IntN(n))}
		}
		want := flooded(n, edges)
		if got := analysis.Components(n, of(edges)); got != want {
			t.Fatalf("seed %d: %d components of %d nodes, want %d: %v", seed, got, n, want, edges)
		}
		// Neither order nor direction nor repetition matters.
		rng.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
		for i := range edges {
			edges[i][0], edges[i][1] = edges[i][1], edges[i][0]
		}
		if got := analysis.Components(n, of(append(edges, edges...))); got != want {
			t.Fatalf("seed %d: %d components of the shuffled graph, want %d", seed, got, want)
		}
	}
}

func TestComponentsAtTheEnds(t *testing.T) {
	if got := analysis.Components(0, of(nil)); got != 0 {
		t.Errorf("no nodes: %d components", got)
	}
	if got := analysis.Components(5, of(nil)); got != 5 {
		t.Errorf("five nodes without edges: %d components", got)
	}
	// A long chain, from the end that makes every path as long as it can be.
	const n = 200000
	got := analysis.Components(n, func(yield func(a, b uint32)) {
		for i := uint32(n - 1); i > 0; i-- {
			yield(i, i-1)
		}
	})
	if got != 1 {
		t.Errorf("a chain: %d components", got)
	}
}

func BenchmarkComponents(b *testing.B) {
	const n, k = 1 << 20, 20
	rng := rand.New(rand.NewPCG(1, 1))
	near := make([]uint32, n*k)
	for i := range near {
		near[i] = uint32(max(0, min(n-1, i/k+rng.IntN(201)-100))) // locality order
	}
	for b.Loop() {
		analysis.Components(n, func(yield func(a, b uint32)) {
			for i, other := range near {
				yield(uint32(i/k), other)
			}
		})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*k), "ns/edge")
}

func ExampleComponents() {
	lists := [][]uint32{{1, 2}, {0, 2}, {1, 0}, {4}, {3}} // two islands
	islands := analysis.Components(len(lists), func(yield func(a, b uint32)) {
		for row, neighbors := range lists {
			for _, n := range neighbors {
				yield(uint32(row), n)
			}
		}
	})
	fmt.Println(islands)
	// Output: 2
}
