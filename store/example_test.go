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

func ExampleStore_Iterate() {
	dir, _ := os.MkdirTemp("", "store")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "points.knng")
	points, _ := vectors.FromFloat32([]float32{0, 1, 3, 7}, 1)
	if _, err := builder.Build(context.Background(), path, vectors.NewInput(points), builder.Options{K: 1}); err != nil {
		fmt.Println(err)
		return
	}
	g, err := store.Open(path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	all := g.Iterate()
	for row, list := range all.All() {
		fmt.Println(row, list)
	}
	fmt.Println(all.Err())
	// Output:
	// 0 [{1 1}]
	// 1 [{0 1}]
	// 2 [{1 2}]
	// 3 [{2 4}]
	// <nil>
}

func ExampleStore_RowOf() {
	dir, _ := os.MkdirTemp("", "store")
	defer os.RemoveAll(dir)
	path, ids := filepath.Join(dir, "points.knng"), filepath.Join(dir, "names.txt")
	_ = os.WriteFile(ids, []byte("ann\nbob\ncat\ndan\n"), 0o666)
	points, _ := vectors.FromFloat32([]float32{0, 1, 3, 7}, 1)
	if _, err := builder.Build(context.Background(), path, vectors.NewInput(points), builder.Options{K: 1, IDs: ids}); err != nil {
		fmt.Println(err)
		return
	}
	g, err := store.Open(path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	row, err := g.RowOf("dan")
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := g.Neighbors(row, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.ID(list[0].Row))
	// Output: cat <nil>
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
