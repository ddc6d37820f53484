package gonumgraph_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/community"
	"gonum.org/v1/gonum/graph/network"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/gonumgraph"
	"github.com/knng/knng/vectors"
)

// Two heaps of points on a line and one point between them, which no other lists:
// it is the last by PageRank, and Louvain's method finds the heaps.
func Example() {
	g, done, err := points([]float32{0, 1, 2, 3, 20, 40, 41, 42, 43})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer done()
	near := func(distance float32) float64 { return math.Exp(-float64(distance) / 10) }
	view, err := gonumgraph.NewWeighted(g, near, 0, 0)
	if err != nil {
		fmt.Println(err)
		return
	}

	ranks := network.PageRankSparse(view, 0.85, 1e-6)
	nodes := graph.NodesOf(view.Nodes())
	slices.SortStableFunc(nodes, func(a, b graph.Node) int { return cmp.Compare(ranks[b.ID()], ranks[a.ID()]) })
	fmt.Println("the last by PageRank:", nodes[len(nodes)-1])

	var sizes []int
	for _, heap := range community.Modularize(view, 1, rand.NewPCG(1, 1)).Communities() {
		sizes = append(sizes, len(heap))
	}
	slices.Sort(sizes)
	fmt.Println("communities of", sizes)
	if view.Err() != nil {
		fmt.Println(view.Err())
	}
	// Output:
	// the last by PageRank: 4
	// communities of [4 5]
}

// points builds a graph of points on a line, with in-neighbors.
func points(at []float32) (g *store.Store, done func(), err error) {
	dir, err := os.MkdirTemp("", "gonumgraph")
	if err != nil {
		return nil, nil, err
	}
	ctx, path := context.Background(), filepath.Join(dir, "points.knng")
	line, err := vectors.FromFloat32(at, 1)
	if err == nil {
		_, err = builder.Build(ctx, path, vectors.NewInput(line), builder.Options{K: 2})
	}
	if err == nil {
		_, err = store.BuildReverse(ctx, path, nil)
	}
	if err == nil {
		g, err = store.Open(path, nil)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	return g, func() { g.Close(); os.RemoveAll(dir) }, nil
}
