package propagation_test

import (
	"fmt"

	"github.com/knng/knng/builder/internal/propagation"
)

// chain is a graph in which place i lists only i+1, at distance 1.
type chain struct{}

func (chain) List(p uint32) ([]uint32, []float32) { return []uint32{p + 1}, []float32{1} }

func ExampleBestFirst_Around() {
	keys := func(x uint32, ids []uint32, out []float32) (int, error) {
		for i, id := range ids {
			out[i] = float32(id-x) * float32(id-x)
		}
		return len(ids), nil
	}
	search := propagation.New(chain{}, keys, nil, 4, true)
	fmt.Println(search.Around(10))
	// Output: [11 12 13 14] [1 4 9 16] <nil>
}
