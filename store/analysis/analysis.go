// Package analysis looks at k-NN graphs as graphs.
package analysis

// Components counts the connected components of an undirected graph over nodes
// 0 to n-1, by union-find: 4 bytes a node. edges calls yield for every edge, in
// any order and direction.
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
