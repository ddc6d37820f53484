package leaf_test

import (
	"fmt"

	"github.com/knng/knng/builder/leaf"
)

// All pairs of three points on a line.
func ExampleSolver() {
	at := []float32{0, 1, 5}
	s := leaf.Solver{Keys: func(x uint32, ids []uint32, out []float32) (int, error) {
		for i, id := range ids {
			out[i] = (at[x] - at[id]) * (at[x] - at[id])
		}
		return len(ids), nil
	}}
	count, _ := s.Solve([]uint32{0, 1, 2}, nil, 0, func(i int, js []uint32, keys []float32) {
		fmt.Println(i, js, keys)
	})
	fmt.Println(count.Requested, "pairs")
	// Output:
	// 0 [1 2] [1 25]
	// 1 [2] [16]
	// 3 pairs
}
