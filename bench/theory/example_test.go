package theory_test

import (
	"fmt"

	"github.com/knng/knng/bench/theory"
)

// A tree that has a pair in one of its leaves every fourth time.
func Example() {
	const q = 0.25
	for _, trees := range []int{1, 4, 16} {
		fmt.Printf("%d trees: %.3f; with a round at least %.3f\n", trees, theory.Discovered(q, trees), theory.Bound(q, trees))
	}
	// Output:
	// 1 trees: 0.250; with a round at least 0.297
	// 4 trees: 0.684; with a round at least 0.831
	// 16 trees: 0.990; with a round at least 1.000
}
