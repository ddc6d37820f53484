package refine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/refine"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

func ExampleRefine() {
	dir, _ := os.MkdirTemp("", "refine")
	defer os.RemoveAll(dir)
	ctx := context.Background()
	// Two pairs of points on a line and one between them.
	rows, _ := vectors.FromFloat32([]float32{0, 1, 4, 6, 7}, 1)
	if _, err := builder.Build(ctx, filepath.Join(dir, "g1"), vectors.NewInput(rows), builder.Options{K: 3}); err != nil {
		fmt.Println(err)
		return
	}
	g1, err := store.Open(filepath.Join(dir, "g1"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g1.Close()
	if _, err := refine.Refine(ctx, filepath.Join(dir, "g2"), g1, refine.Options{K: 1, Distance: refine.RankOrder(3)}); err != nil {
		fmt.Println(err)
		return
	}
	g2, err := store.Open(filepath.Join(dir, "g2"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g2.Close()
	for row := range 5 {
		list, _ := g2.Neighbors(store.Row(row), nil)
		fmt.Printf("row %d: row %d, rank-order distance %v\n", row, list[0].Row, list[0].Distance)
	}
	// Output:
	// row 0: row 1, rank-order distance 2
	// row 1: row 0, rank-order distance 2
	// row 2: row 1, rank-order distance 5
	// row 3: row 4, rank-order distance 2
	// row 4: row 3, rank-order distance 2
}
