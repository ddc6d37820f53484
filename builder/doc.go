// Package builder builds k-NN graphs by the method of Wang et al., "Scalable
// k-NN graph construction": random divisions, exact subgraphs in their leaves,
// union, and neighborhood propagation. [Build] is the one function that most
// programs need; calling it again with the same options continues an
// interrupted build.
//
// # Methods
//
//   - Exact compares all rows with all others.
//   - Tree finds the same lists in a k-d tree. Auto takes it for more than 20,000 rows of up to three
//     dimensions under euclidean distances, and of up to eight where searches in a tree of a sample
//     compare at most 1,000 rows.
//   - Paper is the method of the paper: hyperplanes along principal directions, best-first propagation.
//   - Balls keeps the paper's plan and changes its pieces: leaves are hyperspheres that overlap,
//     propagation joins the neighbors of a row with each other, and both compare rows as bytes, or by
//     six bits, in tiles (package vectors/codes), with some slots of slack and exact keys at the end.
//     Auto takes it for all but small inputs.
//   - Parts is like Balls, but only divides, and holds no lists of all rows: near leaves are solved
//     together, as a group whose rows fit in memory. Auto takes it where the lists of Balls would come
//     to more than 4 GiB.
//
// The packages of the methods, internal/exact, tree, paper, balls and parts, say how each works.
//
// # Passes
//
// Sequential passes read rows in the order in which they lie; the others gather.
//
//	0  audit        reads the input once, sequentially: values that have no
//	                distance, repetitions, a checksum
//	1  order        one division of all rows gives each a place; the rows are
//	                written in that locality order. From here on neighbors lie
//	                near each other
//	2  controls     where a target recall steers: exact lists of a few rows, one
//	                sequential reading
//	3  divisions    each: carve, then solve the leaves (each row read once, in
//	                nearly sequential order; with balls, four to twelve times)
//	4  propagation  each round: around every row others are visited, or joined,
//	                in the order of places; rows and lists are gathered
//	5  finish       short lists completed, adjacency in input order, recall on
//	                rows that steered nothing, checksum, seal
//
// The exact method replaces 2 to 4 by all pairs, block against block: as bytes in tiles,
// with keys for the pairs that rounding to bytes leaves open (package screen). Many rows
// are divided into balls once before, which bounds for each row the pairs that are too far for its list.
//
// Rows are mapped, never held; plan.Plan says how much memory each pass takes. Go's collector knows
// nothing of most of it: a program that is nothing but a build tells it by HoldHeap, as the command does.
//
// Durability: Paper and Parts commit the gain of every unit of work, and Parts keeps the leaves that it
// has found of rows; Balls writes its lists as they are every few seconds, between stages.
//
// A build begins with its expected cost, which [Plan] gives without a build, and which
// the Result keeps beside the real one (package plan). Before each phase the disk is
// asked for room.
//
// # Packages
//
// Promised to programs: this one, plan and progress, whose types it returns; recall, refine,
// rebuild, postings and shards, which is parts on many machines; knn, the bounded list. Importable for measurements, and promised
// nothing: division, leaf and screen. All others are rooms below internal: build is a build that
// a method works on; exact, tree, paper, balls and parts are the methods;
// input, audit, copies, choose, forecast, arrange, controls and output are the passes
// that every method has; fixed holds the constants that rooms and forecasts share.
//
// # Inputs of the graph
//
// The data, the options listed by Options as naming the result, and the seed:
// every decision is taken from counts of requested pairs and from recall on the
// steering rows. Threads, memory, kernels, the pair cache, clocks and
// interruptions change only how long it takes. Three things make it so. Orders
// are total, (key, row). A list drops only entries behind its end. In a
// division a row stands in one leaf, and a propagation round reads one
// generation and writes the next, so no result depends on the progress of
// another goroutine.
//
// # The end
//
// With a target recall (Options.Recall) a build goes on until the steering rows reach it. It ends at
// the target, at a limit that the options set, or when all pairs are compared; below its target
// [Result.Err] says so.
//
// Balls divides until joins have something to work on, joins, and divides again where rounds gain
// too little to arrive. Parts only divides. Paper does whichever gained more per pair. Balls and
// Parts go on to two standard errors above the target, at most 0.01, for the error of the steering rows.
//
// Where codes leave the target out of reach, rows are compared by their keys, in leaves of
// hyperplanes (package internal/keyed). Where divisions and joins stop paying, a build goes over to
// keys, or to all pairs from the lists at hand: the rows that find most of the missing neighbors are
// compared with all first (package internal/tiers).
//
// Before it stops at the target, a build looks at the rows that will report recall. Where their whole
// interval is below the target, or all rows that are known are well below it, they steer too, others
// report, and the build goes on; not in parts, whose lists are on disk.
package builder
