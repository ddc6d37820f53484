package search_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

func Example() {
	dir, _ := os.MkdirTemp("", "search")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "points.knng")
	points, _ := vectors.FromFloat32([]float32{0, 1, 3, 7, 8, 20}, 1)
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
	s, err := search.Open(g, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	fmt.Println(s.Search([]float32{6.5}, search.Query{K: 3}))
	odd := func(row store.Row) bool { return row%2 == 1 }
	fmt.Println(s.Search([]float32{6.5}, search.Query{K: 2, Keep: odd}))
	fmt.Println(s.Search([]float32{6.5}, search.Query{Within: search.Distance(2)}))
	// Output:
	// [{3 0.5} {4 1.5} {2 3.5}] <nil>
	// [{3 0.5} {1 5.5}] <nil>
	// [{3 0.5} {4 1.5}] <nil>
}
