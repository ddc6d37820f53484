package front_test

import (
	"fmt"

	"github.com/knng/knng/bench/front"
)

func Example() {
	f := front.Of([]front.Point{{Recall: 0.9, Cost: 1}, {Recall: 0.99, Cost: 4}, {Recall: 0.95, Cost: 9}})
	cost, ok := front.At(f, 0.99)
	fmt.Println(len(f), cost, ok)
	// Output: 2 4 true
}
