package hashrand_test

import (
	"fmt"

	"github.com/knng/knng/builder/internal/hashrand"
)

// The row with the smallest number is drawn, the same one on every machine.
func ExampleMix() {
	const seed = 1
	drawn := uint64(0)
	for row := range uint64(10) {
		if hashrand.Mix(seed<<32^row) < hashrand.Mix(seed<<32^drawn) {
			drawn = row
		}
	}
	fmt.Println("row", drawn)
	// Output: row 6
}
