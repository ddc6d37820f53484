package generate_test

import (
	"fmt"
	"log"

	"github.com/knng/knng/bench/generate"
	"github.com/knng/knng/vectors"
)

// A thousand rows of a set of a hundred million are made without the others.
func Example() {
	rows, err := generate.New(100_000_000, 128, vectors.Uint8, 1)
	if err != nil {
		log.Fatal(err)
	}
	some := make([]byte, 1000*128)
	if err := rows.ReadRows(50_000_000, some); err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows.Len(), rows.Dim(), rows.Type())
	// Output: 100000000 128 uint8
}
