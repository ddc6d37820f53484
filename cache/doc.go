// Package cache answers which pairs of rows have been compared before: the hash
// table of computed pairs of Wang et al., "Scalable k-NN graph construction",
// section "Algorithm details", in two forms.
//
// [SharedLeaf] is for cheap distances. Two rows were compared in a division if
// and only if they shared a leaf there, so the leaf numbers of a row, 4 bytes a
// division, hold all the pairs of the divisions exactly. A pair seen before has
// been offered to both ends and need not be evaluated again. The same bits give
// the effective rate.
//
// [Pairs] is for expensive distances: a Pebble database of pair and key, which
// survives a crash: an error or Ctrl-C loses no pair, a kill those that are being
// evaluated and those of the last 20 ms. [Pairs.Keys] asks it first, and lets no two
// workers evaluate one pair.
//
// Neither form ever changes the graph.
package cache
