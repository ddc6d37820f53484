package gonumgraph_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/network"
	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/testgraph"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/gonumgraph"
)

// plain are lists in memory, of any length.
type plain struct{ out, in [][]store.Neighbor }

func (p *plain) Len() int { return len(p.out) }

func (p *plain) Neighbors(row store.Row, buf []store.Neighbor) ([]store.Neighbor, error) {
	return append(buf[:0], p.out[row]...), nil
}

func (p *plain) InNeighbors(row store.Row, buf []store.Neighbor) ([]store.Neighbor, error) {
	return append(buf[:0], p.in[row]...), nil
}

// add makes row u list v.
func (p *plain) add(u, v int, distance float32) {
	p.out[u] = append(p.out[u], store.Neighbor{Row: store.Row(v), Distance: distance})
	p.in[v] = append(p.in[v], store.Neighbor{Row: store.Row(u), Distance: distance})
}

func newPlain(n int) *plain {
	return &plain{out: make([][]store.Neighbor, n), in: make([][]store.Neighbor, n)}
}

// kept writes lists of one length, or none, into a store with in-neighbors.
func kept(dir string, p *plain, k int) (*store.Store, error) {
	d, err := store.OpenDraft(dir, store.Manifest{Rows: p.Len(), Dim: 1, Type: "uint8", Metric: "euclidean", K: max(1, k), Vectors: "copy",
		Options: []store.Option{{Name: "distance", Value: "given"}}}, nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	err = d.CommitAdjacency(k, func(add func([]uint32, []float32) error) error {
		for _, list := range p.out {
			slices.SortFunc(list, func(a, b store.Neighbor) int {
				return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Row, b.Row))
			})
			var neighbors []uint32
			var keys []float32
			for _, n := range list {
				neighbors, keys = append(neighbors, uint32(n.Row)), append(keys, n.Distance)
			}
			if err := add(neighbors, keys); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sum, err := d.Checksum(context.Background())
	if err != nil {
		return nil, err
	}
	if err := d.Seal(context.Background(), map[string]any{"checksum": sum}); err != nil {
		return nil, err
	}
	if _, err := store.BuildReverse(context.Background(), dir, nil); err != nil {
		return nil, err
	}
	return store.Open(dir, nil)
}

// convert numbers the nodes of a test case from 0 on, as rows are, and leaves out
// loops: no row lists itself.
func convert(nodes []graph.Node, edges []testgraph.WeightedLine) (p *plain, n []graph.Node, e []testgraph.Edge) {
	rows := map[int64]int{}
	number := func(node graph.Node) int {
		if _, ok := rows[node.ID()]; !ok {
			rows[node.ID()] = len(rows)
			n = append(n, simple.Node(len(rows)-1))
		}
		return rows[node.ID()]
	}
	for _, node := range nodes {
		number(node)
	}
	for _, edge := range edges {
		number(edge.From())
		number(edge.To())
	}
	p = newPlain(len(rows))
	for _, edge := range edges {
		u, v := number(edge.From()), number(edge.To())
		if u == v {
			continue
		}
		p.add(u, v, float32(edge.Weight()))
		e = append(e, simple.WeightedEdge{F: simple.Node(u), T: simple.Node(v), W: edge.Weight()})
	}
	return p, n, e
}

// length is that of the lists that are not empty; ok is false where they differ.
func (p *plain) length() (k int, ok bool) {
	for _, list := range p.out {
		if len(list) > 0 && k > 0 && len(list) != k {
			return 0, false
		}
		k = max(k, len(list))
	}
	return k, true
}

func identity(distance float32) float64 { return float64(distance) }

// TestConformance runs what of gonum's suite is about graph.WeightedDirected: on
// lists in memory all cases, on stores those whose lists have one length. The rest of
// the suite asks for what a view has not: lists of all edges (ReturnAllEdges and its
// like), several lines between two nodes, adjacency matrices, nodes and edges that
// are added and removed.
func TestConformance(t *testing.T) {
	stores := map[string]*store.Store{} // by their lists: every test builds the same graphs
	onLists := func(nodes []graph.Node, edges []testgraph.WeightedLine, self, absent float64) (graph.Graph, []graph.Node, []testgraph.Edge, float64, float64, bool) {
		p, n, e := convert(nodes, edges)
		g, err := gonumgraph.NewWeighted(p, identity, self, absent)
		if err != nil {
			t.Fatal(err)
		}
		return g, n, e, self, absent, true
	}
	onStore := func(nodes []graph.Node, edges []testgraph.WeightedLine, self, absent float64) (graph.Graph, []graph.Node, []testgraph.Edge, float64, float64, bool) {
		p, n, e := convert(nodes, edges)
		k, ok := p.length()
		if !ok {
			return nil, nil, nil, 0, 0, false
		}
		name := fmt.Sprint(p.out)
		if stores[name] == nil {
			s, err := kept(filepath.Join(t.TempDir(), "s"), p, k)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			stores[name] = s
		}
		g, err := gonumgraph.NewWeighted(stores[name], identity, self, absent)
		if err != nil {
			t.Fatal(err)
		}
		return g, n, e, self, absent, true
	}
	for name, b := range map[string]testgraph.Builder{"lists": onLists, "store": onStore} {
		t.Run(name, func(t *testing.T) {
			t.Run("NodeExistence", func(t *testing.T) { testgraph.NodeExistence(t, b) })
			t.Run("EdgeExistence", func(t *testing.T) { testgraph.EdgeExistence(t, b, true) })
			t.Run("ReturnAdjacentNodes", func(t *testing.T) { testgraph.ReturnAdjacentNodes(t, b, true, true) })
			t.Run("ReturnAllNodes", func(t *testing.T) { testgraph.ReturnAllNodes(t, b, true) })
			t.Run("ReturnNodeSlice", func(t *testing.T) { testgraph.ReturnNodeSlice(t, b, true) })
			t.Run("Weight", func(t *testing.T) { testgraph.Weight(t, b) })
		})
	}
	if len(stores) < 6 {
		t.Errorf("only %d different cases ran on stores", len(stores))
	}
}

// TestAgainstCopy compares a view of a store with gonum's own graph of the same
// edges, answer by answer and in what algorithms make of it.
func TestAgainstCopy(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	const n, k = 60, 4
	p := newPlain(n)
	copied := simple.NewWeightedDirectedGraph(0, math.Inf(1))
	for u := range n {
		copied.AddNode(simple.Node(u))
	}
	for u := range n {
		for _, v := range rng.Perm(n - 1)[:k] {
			if v >= u {
				v++
			}
			distance := float32(1 + rng.IntN(9))
			p.add(u, v, distance)
			copied.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(u), T: simple.Node(v), W: float64(distance)})
		}
	}
	s, err := kept(filepath.Join(t.TempDir(), "s"), p, k)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if g, err := gonumgraph.NewWeighted(s, nil, 0, 0); err == nil || g != nil {
		t.Errorf("without a weight: %v, %v", g, err)
	}
	g, err := gonumgraph.New(s)
	if err != nil {
		t.Fatal(err)
	}
	for u := int64(-1); u <= n; u++ {
		if got, want := ids(g.From(u)), ids(copied.From(u)); !slices.Equal(got, want) {
			t.Errorf("seed %d: from %d: %v, want %v", seed, u, got, want)
		}
		if got, want := ids(g.To(u)), ids(copied.To(u)); !slices.Equal(got, want) {
			t.Errorf("seed %d: to %d: %v, want %v", seed, u, got, want)
		}
		for v := range int64(n) {
			if through := slices.Contains(ids(g.To(v)), u); g.HasEdgeFromTo(u, v) != through {
				t.Errorf("seed %d: edge from %d to %d: %v, through the in-neighbors %v", seed, u, v, !through, through)
			}
			w, ok := g.Weight(u, v)
			want, wantOK := copied.Weight(u, v)
			if w != want || ok != wantOK || g.HasEdgeFromTo(u, v) != copied.HasEdgeFromTo(u, v) {
				t.Errorf("seed %d: %d to %d: %v %v, want %v %v", seed, u, v, w, ok, want, wantOK)
			}
		}
	}
	for v := range int64(n) {
		_, got := path.DijkstraFromTo(simple.Node(0), simple.Node(v), g)
		if _, want := path.DijkstraFromTo(simple.Node(0), simple.Node(v), copied); got != want {
			t.Errorf("seed %d: the way to %d has length %v, want %v", seed, v, got, want)
		}
	}
	got, want := network.PageRankSparse(g, 0.85, 1e-10), network.PageRankSparse(copied, 0.85, 1e-10)
	for id := range want {
		if math.Abs(got[id]-want[id]) > 1e-8 {
			t.Errorf("seed %d: rank of %d is %v, want %v", seed, id, got[id], want[id])
		}
	}
	if g.Err() != nil {
		t.Error(g.Err())
	}
}

func ids(nodes graph.Nodes) []int64 {
	var list []int64
	for nodes.Next() {
		list = append(list, nodes.Node().ID())
	}
	slices.Sort(list)
	return list
}

// failing cannot read row 1.
type failing struct{ *plain }

var errUnread = errors.New("unread")

func (f failing) Neighbors(row store.Row, buf []store.Neighbor) ([]store.Neighbor, error) {
	if row == 1 {
		return buf[:0], errUnread
	}
	return f.plain.Neighbors(row, buf)
}

func (f failing) InNeighbors(row store.Row, buf []store.Neighbor) ([]store.Neighbor, error) {
	if row == 1 {
		return buf[:0], errUnread
	}
	return f.plain.InNeighbors(row, buf)
}

func TestErrorsAreKept(t *testing.T) {
	ask := map[string]func(g *gonumgraph.Graph) any{
		"From": func(g *gonumgraph.Graph) any { return ids(g.From(1)) },
		"To":   func(g *gonumgraph.Graph) any { return ids(g.To(1)) },
		"Edge": func(g *gonumgraph.Graph) any { return g.Edge(1, 0) },
	}
	for name, f := range ask {
		p := newPlain(2)
		p.add(0, 1, 1)
		p.add(1, 0, 1)
		g, err := gonumgraph.New(failing{p})
		if err != nil {
			t.Fatal(err)
		}
		g.From(0)
		answer := f(g)
		if v := reflect.ValueOf(answer); v.IsValid() && v.Len() != 0 || !errors.Is(g.Err(), errUnread) {
			t.Errorf("%s: %v, %v", name, answer, g.Err())
		}
		if got := ids(g.From(0)); !slices.Equal(got, []int64{1}) {
			t.Errorf("%s: afterwards row 0 has %v", name, got)
		}
	}
}

func TestWithoutInNeighbors(t *testing.T) {
	p := newPlain(2)
	p.add(0, 1, 1)
	p.add(1, 0, 1)
	dir := filepath.Join(t.TempDir(), "s")
	d, err := store.OpenDraft(dir, store.Manifest{Rows: 2, Dim: 1, Type: "uint8", Metric: "euclidean", K: 1, Vectors: "copy"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = d.CommitAdjacency(1, func(add func([]uint32, []float32) error) error {
		return errors.Join(add([]uint32{1}, []float32{1}), add([]uint32{0}, []float32{1}))
	})
	if err := errors.Join(err, d.Seal(context.Background(), map[string]any{"checksum": ""})); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := gonumgraph.New(s); !errors.Is(err, store.ErrNoReverse) {
		t.Error(fmt.Errorf("without in-neighbors: %w", err))
	}
}
