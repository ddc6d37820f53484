// Package analysis looks at k-NN graphs as graphs: components, mutual neighbors,
// hubs, duplicates and distances. The functions take a [Graph], which a store is,
// and go over its lists in order; none holds the graph.
//
//	                     passes over the lists     memory
//	Islands              1                         4 bytes a row
//	Duplicates           1                         4 bytes a row
//	InDegrees            1                         4 bytes a row
//	MeasureHubness       1                         8 bytes a row
//	MeasureDistances     1                         4 bytes a row and rank
//	Pairs                2 for each filling of     as given, 256 MiB at zero
//	                     the memory
//	MeasureReciprocity   those of Pairs and 1      that and 5 bytes a row
//
// Isolated rows, which have no list, are components of their own and count in
// nothing else.
package analysis

import "github.com/knng/knng/store"

// Graph is the graph to analyse; *store.Store is one, and Store.Under(ctx) one whose passes
// end with a context.
type Graph interface {
	// Len is the number of rows, K the length of a list.
	Len() int
	K() int
	// EachKeyed calls fn for every row in order, with neighbors and keys that
	// are valid during the call; isolated rows have none.
	EachKeyed(fn func(row store.Row, neighbors []uint32, keys []float32) error) error
	// Shown turns a key into the distance that people see.
	Shown(key float32) float32
}

var _ Graph = (*store.Store)(nil)
