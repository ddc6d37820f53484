package axes_test

import (
	"fmt"

	"github.com/knng/knng/builder/internal/axes"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
)

// Rows of 256 dimensions that lie on a curve are told apart along 32 axes.
func ExampleChoice_Choose() {
	const n, dim = 1000, 256
	data := make([]byte, 0, n*dim)
	for i := range n {
		for j := range dim {
			data = append(data, byte(64+(i*(j%3)+7*i*(j%5))%101))
		}
	}
	rows, err := vectors.RowsOf(data, n, dim, dim, vectors.Uint8)
	if err != nil {
		panic(err)
	}
	space, err := distance.New(distance.Euclidean, vectors.Uint8, dim)
	if err != nil {
		panic(err)
	}
	m, err := codes.Of(rows, space, codes.Rounding{}, 1)
	if err != nil {
		panic(err)
	}
	choice := axes.Choice{K: 5, Candidates: 13, Loss: 0.005, Threads: 1, Near: near}
	chosen, err := choice.Choose(m)
	if err != nil {
		panic(err)
	}
	reduced, err := chosen.Codes.First(chosen.Axes.Count)
	if err != nil {
		panic(err)
	}
	fmt.Println(chosen.Axes.Count, "axes,", reduced.Len(), "rows of", reduced.Dim())
	// Output: 32 axes, 1000 rows of 32
}
