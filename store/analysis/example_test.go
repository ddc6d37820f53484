package analysis_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/analysis"
	"github.com/knng/knng/vectors"
)

// points builds a graph of four points on a line and one far off.
func points(dir string) (*store.Store, error) {
	path := filepath.Join(dir, "points.knng")
	line, err := vectors.FromFloat32([]float32{0, 1, 1, 3, 100}, 1)
	if err != nil {
		return nil, err
	}
	if _, err := builder.Build(context.Background(), path, vectors.NewInput(line), builder.Options{K: 2}); err != nil {
		return nil, err
	}
	return store.Open(path, nil)
}

func Example() {
	dir, err := os.MkdirTemp("", "analysis")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	g, err := points(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	hubness, _ := analysis.MeasureHubness(g, nil, 1)
	fmt.Println("most listed:", hubness.Hubs)
	equal, _ := analysis.Duplicates(g, 0)
	fmt.Println("equal rows:", equal.Groups(2))
	for pair, err := range analysis.Pairs(g, 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if pair.Mutual {
			fmt.Println("list each other:", pair.A, pair.B)
		}
	}
	// Output:
	// most listed: [{1 4}]
	// equal rows: [{1 2}]
	// list each other: 0 1
	// list each other: 0 2
	// list each other: 1 2
}
