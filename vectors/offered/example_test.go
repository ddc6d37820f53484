package offered_test

import (
	"fmt"

	"github.com/knng/knng/vectors/offered"
)

// Half of the memory is left to others.
func ExampleMemory() {
	limit := offered.Memory() / 2
	fmt.Println(limit > 0)
	// Output: true
}
