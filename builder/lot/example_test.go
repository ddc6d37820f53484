package lot_test

import (
	"fmt"

	"github.com/knng/knng/builder/lot"
)

// The row with the smallest lot is drawn, the same one on every machine.
func ExampleMix() {
	const seed = 1
	drawn := uint64(0)
	for row := range uint64(10) {
		if lot.Mix(seed<<32^row) < lot.Mix(seed<<32^drawn) {
			drawn = row
		}
	}
	fmt.Println("row", drawn)
	// Output: row 6
}
