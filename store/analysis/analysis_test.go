package analysis

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func ExampleComponents() {
	edges := [][2]uint32{{0, 1}, {3, 2}, {1, 0}}
	fmt.Println(Components(5, func(yield func(a, b uint32)) {
		for _, e := range edges {
			yield(e[0], e[1])
		}
	}))
	// Output: 3
}

func TestComponentsEqualsSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		n := 1 + rng.IntN(40)
		beside := make([][]uint32, n)
		var edges [][2]uint32
		for range rng.IntN(2 * n) {
			a, b := rng.Uint32N(uint32(n)), rng.Uint32N(uint32(n))
			edges = append(edges, [2]uint32{a, b})
			beside[a], beside[b] = append(beside[a], b), append(beside[b], a)
		}
		want, seen := 0, make([]bool, n)
		var visit func(a uint32)
		visit = func(a uint32) {
			if seen[a] {
				return
			}
			seen[a] = true
			for _, b := range beside[a] {
				visit(b)
			}
		}
		for a := range uint32(n) {
			if !seen[a] {
				want++
				visit(a)
			}
		}
		got := Components(n, func(yield func(a, b uint32)) {
			for _, e := range edges {
				yield(e[0], e[1])
			}
		})
		if got != want {
			t.Fatalf("%d components of %v over %d nodes, want %d", got, edges, n, want)
		}
	}
}
