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
