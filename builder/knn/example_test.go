package knn_test

import (
	"fmt"

	"github.com/knng/knng/builder/knn"
)

func ExampleLists_Offer() {
	l := knn.New(5, 2, nil) // five places, the two nearest of each
	l.Offer(0, 3, 9)
	l.Offer(0, 1, 4)
	l.Offer(0, 1, 4) // again: nothing changes
	l.Offer(0, 2, 4) // the same key: the smaller row goes first
	fmt.Println(l.List(0))
	// Output: [1 2] [4 4]
}
