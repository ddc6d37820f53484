package distance_test

import (
	"fmt"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

func ExampleSpace_Keys() {
	rows := []byte{
		0, 0, // row 0
		3, 4, // row 1
		6, 8, // row 2
	}
	space, err := distance.New(distance.Euclidean, vectors.Uint8, 2)
	if err != nil {
		panic(err)
	}
	keys := make([]float32, 2)
	space.Keys(rows[:2], 0, rows, 2, nil, []uint32{1, 2}, keys)
	for _, key := range keys {
		fmt.Println(key, distance.Euclidean.Shown(key))
	}
	// Output:
	// 25 5
	// 100 10
}
