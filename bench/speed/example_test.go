package speed_test

import (
	"fmt"

	"github.com/knng/knng/bench/speed"
)

func Example() {
	for _, f := range speed.Figures {
		fmt.Println(f.Name, f.About)
	}
	// Output:
	// 1 beside peers at 0.90, 0.95 and 0.99
	// 2 share of the time of brute force; our exact mode
	// 3 leaf distances beside the kernels' own peak and ssyrk; time by phase
	// 4 growth with rows and dimensions
	// 5 growth with neighbors
	// 6 200,000 x 1,024 float16 beside peers, k = 15
	// 7 peak memory over rows and lists
}
