// Package analysis looks at k-NN graphs as graphs.
package analysis

// Components counts the connected components of an undirected graph over nodes
// 0 to n-1: the islands of a k-NN graph, if its edges are taken in both
// directions. edges calls yield for every edge, in any order and direction, any
// number of times; its ends must be below n. A node without an edge is a
// component.
//
// It is a union-find with path halving: 4 bytes a node, one pass over the edges,
// and 6 ns an edge in locality order (BenchmarkComponents). The smaller node
// becomes the root: union by rank would spend another byte a node, and halving
// alone keeps the paths short.
func Components(n int, edges func(yield func(a, b uint32))) int {
	parent := make([]uint32, n)
	for i := range parent {
		parent[i] = uint32(i)
	}
	count := n
	edges(func(a, b uint32) {
		if ra, rb := root(parent, a), root(parent, b); ra != rb {
			parent[max(ra, rb)] = min(ra, rb)
			count--
		}
	})
	return count
}

// root finds the representative of a node and halves the path to it.
func root(parent []uint32, a uint32) uint32 {
	for parent[a] != a {
		parent[a] = parent[parent[a]]
		a = parent[a]
	}
	return a
}
