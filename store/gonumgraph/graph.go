// Package gonumgraph shows a k-NN graph to gonum: a [Graph] over a store is a
// graph.WeightedDirected, with an edge from every row to each of its neighbors.
// Nothing is copied: From reads the list of a row, To its in-neighbors, which
// store.BuildReverse makes.
//
// # Memory of gonum
//
// Some of gonum's algorithms ask the view as they go, others copy the graph
// first. With n rows and e = n k edges:
//
//	rows reached    traverse.BreadthFirst, traverse.DepthFirst,
//	                path.DijkstraFromTo, path.AStar
//	all rows        path.DijkstraFrom, path.BellmanFordFrom, topo.TarjanSCC,
//	                network.Betweenness: some 100 bytes a row
//	all edges       network.PageRankSparse, network.HITS: some 20 bytes an edge
//	                and more; community.Modularize, which keeps a map of weights:
//	                some 100 bytes an edge, and compares every row with every
//	                community: 500, 1,000 and 2,000 rows with k = 20 took
//	                0.7, 2.0 and 12.7 s
//	n by n          network.PageRank, path.FloydWarshall, path.DijkstraAllPaths,
//	                path.JohnsonAllPaths and users of all paths
//	                (network.Closeness, network.BetweennessWeighted): 8 n^2 bytes,
//	                80 GB for 100,000 rows
//
// # Weights
//
// Paths want the distance as the weight: [New]. PageRank and
// community detection take a large weight for a strong tie: give them
// [NewWeighted] with a function that falls with the distance. Dijkstra's
// algorithm panics on negative weights, which distances under ip are.
package gonumgraph

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"
	"gonum.org/v1/gonum/graph/simple"

	"github.com/knng/knng/store"
)

// Lists is the graph behind a view; *store.Store is one.
type Lists interface {
	// Len is the number of rows.
	Len() int
	// Neighbors appends the list of a row to buf[:0].
	Neighbors(row store.Row, buf []store.Neighbor) ([]store.Neighbor, error)
	// InNeighbors appends the rows that list a row to buf[:0].
	InNeighbors(row store.Row, buf []store.Neighbor) ([]store.Neighbor, error)
}

var (
	_ Lists                  = (*store.Store)(nil)
	_ graph.WeightedDirected = (*Graph)(nil)
)

// A Graph is a view of lists as a gonum graph. Its nodes are simple.Node with the
// rows as ids, 0 to n-1; isolated rows are nodes without edges. It is safe for
// concurrent use.
//
// gonum's interfaces return no errors. Where a list cannot be read, the view
// answers as if it were empty, and Err tells afterwards.
type Graph struct {
	lists        Lists
	weight       func(distance float32) float64
	self, absent float64

	mu  sync.Mutex
	row int64            // the row of the list held, or -1
	out []store.Neighbor // gonum asks for the edges of one row one by one
	err error
}

// New shows lists with distances as weights, 0 from a row to itself and +Inf
// where there is no edge. Errors: store.ErrNoReverse where store.BuildReverse has
// not made in-neighbors, and other errors of their first lookup.
func New(lists Lists) (*Graph, error) {
	return NewWeighted(lists, func(distance float32) float64 { return float64(distance) }, 0, math.Inf(1))
}

// NewWeighted shows lists with a weight for every distance (as store.Neighbor has
// it); self and absent are the weights from a row to itself and where
// there is no edge. Errors: those of New, and one where weight is nil.
func NewWeighted(lists Lists, weight func(distance float32) float64, self, absent float64) (*Graph, error) {
	if weight == nil {
		return nil, errors.New("gonumgraph: weight is nil, want a function of a distance")
	}
	if lists.Len() > 0 {
		if _, err := lists.InNeighbors(0, nil); err != nil {
			return nil, fmt.Errorf("gonumgraph: %w", err)
		}
	}
	return &Graph{lists: lists, weight: weight, self: self, absent: absent, row: -1}, nil
}

// Err is the first error that reading the lists met, or nil.
func (g *Graph) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

func (g *Graph) has(id int64) bool { return id >= 0 && id < int64(g.lists.Len()) }

// Node returns the node of a row, nil where there is no such row.
func (g *Graph) Node(id int64) graph.Node {
	if !g.has(id) {
		return nil
	}
	return simple.Node(id)
}

// Nodes returns all rows in order, made one by one.
func (g *Graph) Nodes() graph.Nodes {
	if g.lists.Len() == 0 {
		return graph.Empty
	}
	return iterator.NewImplicitNodes(0, g.lists.Len(), func(id int) graph.Node { return simple.Node(id) })
}

// From returns the neighbors of a row, nearest first.
func (g *Graph) From(id int64) graph.Nodes {
	g.mu.Lock()
	defer g.mu.Unlock()
	return nodes(g.list(id))
}

// To returns the rows that list a row, nearest first.
func (g *Graph) To(id int64) graph.Nodes {
	if !g.has(id) {
		return graph.Empty
	}
	in, err := g.lists.InNeighbors(store.Row(id), nil)
	if err != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.met(err)
	}
	return nodes(in)
}

func nodes(list []store.Neighbor) graph.Nodes {
	if len(list) == 0 {
		return graph.Empty
	}
	all := make([]graph.Node, len(list))
	for i, n := range list {
		all[i] = simple.Node(n.Row)
	}
	return iterator.NewOrderedNodes(all)
}

// HasEdgeFromTo reports whether u lists v: whether u is among the in-neighbors of
// v, which is the same question (a test asks both). It is answered by the list of u,
// which has k entries and is held from one question to the next, where the
// in-neighbors of v may be as many as there are rows.
func (g *Graph) HasEdgeFromTo(uid, vid int64) bool {
	_, ok := g.find(uid, vid)
	return ok
}

// HasEdgeBetween reports whether x lists y or y lists x.
func (g *Graph) HasEdgeBetween(xid, yid int64) bool {
	return g.HasEdgeFromTo(xid, yid) || g.HasEdgeFromTo(yid, xid)
}

// Edge returns the edge from u to v, nil where u does not list v.
func (g *Graph) Edge(uid, vid int64) graph.Edge {
	if e := g.WeightedEdge(uid, vid); e != nil {
		return e
	}
	return nil // and not an interface that holds a nil
}

// WeightedEdge returns the edge from u to v, nil where u does not list v.
func (g *Graph) WeightedEdge(uid, vid int64) graph.WeightedEdge {
	distance, ok := g.find(uid, vid)
	if !ok {
		return nil
	}
	return simple.WeightedEdge{F: simple.Node(uid), T: simple.Node(vid), W: g.weight(distance)}
}

// Weight returns the weight of the edge from x to y. From a row to itself it is
// self, with true, and where x does not list y absent, with false.
func (g *Graph) Weight(xid, yid int64) (w float64, ok bool) {
	if xid == yid && g.has(xid) {
		return g.self, true
	}
	distance, ok := g.find(xid, yid)
	if !ok {
		return g.absent, false
	}
	return g.weight(distance), true
}

// find looks for v in the list of u.
func (g *Graph) find(uid, vid int64) (distance float32, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, n := range g.list(uid) {
		if int64(n.Row) == vid {
			return n.Distance, true
		}
	}
	return 0, false
}

// list returns the list of a row, valid while mu is held.
func (g *Graph) list(id int64) []store.Neighbor {
	if !g.has(id) {
		return nil
	}
	if g.row == id {
		return g.out
	}
	out, err := g.lists.Neighbors(store.Row(id), g.out)
	if err != nil {
		g.met(err)
		out, id = out[:0], -1
	}
	g.row, g.out = id, out
	return out
}

// met keeps the first error.
func (g *Graph) met(err error) {
	if g.err == nil {
		g.err = fmt.Errorf("gonumgraph: %w", err)
	}
}
