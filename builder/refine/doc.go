// Package refine makes a k-NN graph under one distance from a finished k-NN
// graph under another: the two similarity measures of Wang et al., "Scalable
// k-NN graph construction", section "Applications". A cheap distance finds the
// neighborhoods, a better or dearer one is computed only inside them. [Refine]
// is the one function that programs need; calling it again with the same
// options continues an interrupted refinement.
//
// # The graph
//
// G1 is the finished graph, D the new distance, k the neighbors asked for.
//
// The start list of a row is its list in G1, sorted by (D, row). Around every row p
// a walk visits others best first, as in builder/internal/propagation. It visits the
// start list of p. Then it repeatedly expands the visited row that is nearest to p by
// (D, row) and not expanded yet: it visits the unvisited rows of that row's start list,
// nearest first. It ends when T rows are visited or nothing is left to expand. So the
// walk follows edges of G1, guided by D.
//
// A visited row is offered to p, and p to it. The list of a row in the new
// graph G2 is the k nearest by (D, row) of all rows offered to it. If a list stays
// short, because a component of G1 has too few rows, its row is compared with all
// others, as in package builder. So every row has min(k, n-1) distinct neighbors; rows
// without a list in G1 (isolated ones) have none.
//
// The paper says no more than that propagation is conducted again with the new
// distance. As in package builder, a round reads one generation of lists and
// makes the next, so that G2 does not depend on threads, the pair cache, memory
// or interruptions.
//
// # Passes
//
//	0  layout   ids and order of G1 and the rows are carried over; new vectors
//	            are read once for bad values and written in the order of G1,
//	            in which neighbors lie near each other
//	1  lists    G1's lists are written by place, the position in that order, to
//	            a file in the scratch folder, from which D may read them
//	2  start    every list is evaluated under D, and a second such file is written
//	3  walk     around every row, in order of places; rows and lists are gathered
//	4  finish   the offers are read as often as the lists of all rows exceed
//	            Options.Memory; adjacency in input order, checksum, seal
//
// Passes 2 and 3 commit the results of every unit of work, and resume from there.
// Files are mapped, never held. Held in memory: 20 bytes a row, the lists of
// pass 4 up to Options.Memory, and the offers of one unit for each thread.
package refine
