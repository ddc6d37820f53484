// Package paper is the method of Wang et al., "Scalable k-NN graph construction for visual
// descriptors" (CVPR 2012): random divisions by hyperplanes, all pairs of the rows of a leaf,
// the union of the lists of all divisions, and best-first propagation around every row.
//
// # Where it departs from the paper
//
// The paper updates the lists that propagation reads, one row after the other; here a round reads the lists
// as they were before it (section "Neighborhood propagation"). Measured at k = 20 with one round: 0.9280 in
// place against 0.9267 on faces in 500 dimensions, 0.9311 against 0.9266 on GIST in 384, 0.9971 against
// 0.9969 on MNIST, 0.9486 against 0.9453 on SIFT; with two rounds 0.9321 against 0.9344, 0.9403 against
// 0.9427, 0.9975 against 0.9975 on the first three (the variants "in place" of go run ./bench/cmd/ablation).
// The gain of a fraction of a percent disappears with the second round, and is not worth losing parallel and
// resumable rounds.
//
// The hash table of computed pairs (section "Algorithm details") is package cache: leaf numbers, which hold
// the same pairs in 4 bytes a row, and pairs with keys for the user's own distance.
//
// Memory holds two generations of lists (16 n k bytes; one outside propagation), leaf numbers (4 bytes a row
// and division, up to twice that), 16 bytes a row while dividing, 12 for orders.
package paper
