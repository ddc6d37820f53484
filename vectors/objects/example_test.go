package objects_test

import (
	"fmt"

	"github.com/knng/knng/vectors/objects"
)

func ExampleIs() {
	fmt.Println(objects.Is("s3://bucket/rows.npy"), objects.Is("/data/rows.npy"))
	// Output: true false
}
