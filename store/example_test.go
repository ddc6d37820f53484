package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

func ExampleBuildReverse() {
	ctx := context.Background()
	dir, _ := os.MkdirTemp("", "store")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "points.knng")
	points, _ := vectors.FromFloat32([]float32{0, 1, 3, 7}, 1)
	if _, err := builder.Build(ctx, path, vectors.NewInput(points), builder.Options{K: 2}); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := store.BuildReverse(ctx, path, nil); err != nil {
		fmt.Println(err)
		return
	}
	g, err := store.Open(path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	for row := range store.Row(4) {
		list, err := g.InNeighbors(row, nil)
		fmt.Println(row, list, err)
	}
	// Output:
	// 0 [{1 1} {2 3}] <nil>
	// 1 [{0 1} {2 2} {3 6}] <nil>
	// 2 [{1 2} {0 3} {3 4}] <nil>
	// 3 [] <nil>
}

func Example() {
	dir, _ := os.MkdirTemp("", "store")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "points.knng")
	points, _ := vectors.FromFloat32([]float32{0, 1, 3, 7}, 1)
	if _, err := builder.Build(context.Background(), path, vectors.NewInput(points), builder.Options{K: 2}); err != nil {
		fmt.Println(err)
		return
	}

	g, err := store.Open(path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	list, err := g.Neighbors(2, nil) // of the point at 3, nearest first
	fmt.Println(list, err)
	// Output: [{1 2} {0 3}] <nil>
}
