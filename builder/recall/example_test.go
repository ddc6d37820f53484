package recall_test

import (
	"context"
	"fmt"

	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// The recall of a graph over 1,000 numbers that takes the four numbers before
// each for its nearest, though two of the nearest come after.
func Example() {
	const n, k = 1000, 4
	numbers := make([]float32, n)
	for i := range numbers {
		numbers[i] = float32(i)
	}
	rows, _ := vectors.FromFloat32(numbers, 1)
	space, _ := distance.New(distance.Euclidean, rows.Type(), rows.Dim())

	sample := recall.Sample(n, 100, 1, 0)
	exact, _, err := recall.Search{K: k}.Rows(context.Background(), rows, space, sample)
	if err != nil {
		fmt.Println(err)
		return
	}
	perRow := make([]float64, len(sample))
	for i, row := range sample {
		var list []uint32
		var keys []float32
		for back := uint32(1); back <= min(k, row); back++ {
			list, keys = append(list, row-back), append(keys, float32(back*back))
		}
		perRow[i] = exact.Recall(i, list, keys)
	}
	mean, low, high := recall.Interval(perRow, n, 1)
	fmt.Printf("recall %.2f, 95 %% between %.2f and %.2f\n", mean, low, high)
	// Output: recall 0.50, 95 % between 0.48 and 0.52
}
