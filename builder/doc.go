// Package builder builds k-NN graphs by the method of Wang et al., "Scalable
// k-NN graph construction": random divisions, exact subgraphs in their leaves,
// union, and neighborhood propagation. [Build] is the one function that most
// programs need; calling it again with the same options continues an
// interrupted build.
//
// # Methods
//
//   - Exact compares all rows with all others.
//   - Tree finds the same lists with a k-d tree. Auto takes it for more than 20,000 rows under
//     euclidean distances: always in up to three dimensions, and in up to eight if searches in a
//     tree of a sample compare at most 1,000 rows.
//   - Paper is the method of the paper: hyperplanes along principal directions, best-first propagation.
//   - Balls has the paper's plan with other parts. Its leaves are overlapping hyperspheres, and its
//     propagation joins the neighbors of a row with each other. Both compare rows as bytes, or as six
//     bits per element, in tiles (package vectors/codes). Lists hold a few more than k candidates, of
//     which exact keys pick the neighbors at the end. Auto takes it for all but small inputs.
//   - Parts divides as Balls does, but has no propagation, and never holds the lists of all rows:
//     near leaves are solved together, as a group whose rows fit in memory. Auto takes it if the
//     lists of Balls would exceed 4 GiB.
//
// The packages of the methods, internal/exact, tree, paper, balls and parts, say how each works.
//
// # Passes
//
// A sequential pass reads the rows in their order on disk; the other passes gather rows.
//
//	0  audit        reads the input once, sequentially: values that have no
//	                distance, repetitions, a checksum
//	1  order        one division of all rows gives each a place; the rows are
//	                written in that locality order. From here on neighbors lie
//	                near each other
//	2  controls     with a target recall: exact lists of a few rows, the steering
//	                sample; one sequential reading
//	3  divisions    each: carve, then solve the leaves (each row read once, in
//	                nearly sequential order; with balls, four to twelve times)
//	4  propagation  each round: around every row others are visited, or joined,
//	                in the order of places; rows and lists are gathered
//	5  finish       short lists completed, adjacency in input order, recall on
//	                rows that steered nothing, checksum, seal
//
// The exact method replaces passes 2 to 4 by all pairs, block against block: as bytes in tiles, with
// keys for the pairs that rounding to bytes leaves open (package screen). If the rows are many, one
// division into balls goes first; its lists bound how near a pair must be to need a key.
//
// Rows are mapped, never held; plan.Plan says how much memory each pass takes. Most of that memory
// is outside Go's heap, unknown to the collector. A program that does nothing but build calls
// HoldHeap, as the command does.
//
// Durability: Paper and Parts commit the gain of every unit of work, and Parts keeps the leaves that
// it has found for rows. Balls writes its lists every few seconds, between stages.
//
// A build begins with a forecast of its cost, which [Plan] computes without a build; the Result keeps
// it beside the real cost (package plan). Before each phase the build checks that the disk has room.
//
// # Packages
//
// Stable, for programs: this package; plan and progress, whose types it returns; recall, refine,
// rebuild and postings; shards, which is Parts on many machines; knn, the bounded list. Importable
// for measurements, without promises: division, leaf and screen. The others are internal. build is
// the running build that a method works on. exact, tree, paper, balls and parts are the methods.
// input, audit, copies, choose, forecast, arrange, controls and output are the passes that all
// methods share. fixed holds the constants that methods and forecasts share.
//
// # Inputs of the graph
//
// The graph depends on the data, the seed, and the other options that [Options] lists as part of the
// result. Every decision rests on counts of requested pairs and on the recall of the steering
// sample. Threads, memory, kernels, the pair cache, clocks and interruptions change only the time.
// Three rules ensure it. Orders are total: (key, row). A list drops only entries behind its end. A
// propagation round reads one generation of lists and writes the next, so no result depends on the
// progress of another goroutine.
//
// # When a build stops
//
// With a target recall (Options.Recall) a build goes on until the steering sample reaches it. It
// stops at the target, at a limit that the options set, or when all pairs are compared. If the graph
// is below its target then, [Result.Err] says so.
//
// Balls divides until joins have something to work on, then joins, and divides again if the rounds
// gain too little to reach the target. Parts only divides. Paper does whichever gained more per
// pair. Balls and Parts go on to two standard errors of the sample above the target, at most 0.01.
//
// If codes cannot reach the target, rows are compared by their keys, in leaves of hyperplanes
// (package internal/keyed). If divisions and joins stop paying, the build goes over to keys, or to
// all pairs, starting from its lists: first it compares with all others the rows that find most of
// the missing neighbors (package internal/tiers).
//
// Before it stops at the target, a build measures the report sample too. If the whole interval of
// that sample is below the target, or both samples together are well below it, the report sample
// joins the steering sample, a new one is drawn, and the build goes on. Parts does not: its lists
// are on disk.
package builder
