package sparse_test

import (
	"context"
	"fmt"

	"github.com/knng/knng/vectors/sparse"
)

// The file was written by scipy.sparse.save_npz of a matrix in CSR format.
func Example() {
	s, err := sparse.Open("testdata/small.npz", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	fmt.Println(s.Len(), "rows of", s.Columns())
	s.Each(context.Background(), func(row int, columns []uint32, values []float32) error {
		fmt.Println(row, columns, values)
		return nil
	})
	// Output:
	// 3 rows of 5
	// 0 [1 4] [2 1]
	// 1 [] []
	// 2 [0 2 3] [3 5 4]
}
