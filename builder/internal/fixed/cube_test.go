package fixed

import (
	"math/rand/v2"
	"testing"
)

// TestCubeRoot: on both sides of cubes, and at random.
func TestCubeRoot(t *testing.T) {
	for range 1000 {
		root := rand.IntN(1 << 20)
		for _, n := range []int{root * root * root, root*root*root + rand.IntN(3*root*root+1), (root+1)*(root+1)*(root+1) - 1} {
			if got := cubeRoot(n); got != root {
				t.Fatalf("cubeRoot(%d) is %d, want %d", n, got, root)
			}
		}
	}
}
