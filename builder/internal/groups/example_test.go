package groups_test

import (
	"context"
	"fmt"
	"os"

	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

func Example() {
	rows, _ := vectors.RowsOf([]byte{0, 1, 2, 100, 101, 102}, 6, 1, 1, vectors.Uint8)
	space, _ := distance.New(distance.Euclidean, vectors.Uint8, 1)
	ctx := context.Background()
	leaves, err := groups.Divide(ctx, groups.Division{
		Rows: rows, Space: space, Seed: 1, Overlap: 1, Leaders: 2,
		GroupBytes: 1 << 20, RowBytes: 1, Threads: 1, Memory: &offheap.Ledger{},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer leaves.Free()
	var group groups.Group
	for _, batch := range leaves.Batches(1<<20, 1<<20) {
		spill, err := leaves.Spill(ctx, batch, os.TempDir())
		if err != nil {
			fmt.Println(err)
			return
		}
		for g := batch.From; g < batch.To; g++ {
			if err := spill.Read(g, &group); err != nil {
				fmt.Println(err)
				return
			}
			for i := range group.Leaves() {
				var values []byte
				for _, number := range group.Leaf(i) {
					values = append(values, group.Rows[number])
				}
				fmt.Println(values)
			}
		}
		spill.Close()
	}
	// Unordered output:
	// [0 1 2]
	// [100 101 102]
}
