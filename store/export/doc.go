// Package export writes finished graphs in the formats of other tools. Most
// programs need one function, [Export].
//
// Rows are input rows everywhere, lists are nearest first, and distances are
// those that people see (the square root of the key under euclidean), except in
// gt, which holds keys. All numbers are little-endian. n is the number of rows;
// w, the width of a list, is k, and k+1 with Options.Self.
//
//	npy    a directory of indices.npy, (n, w) int32, and distances.npy, (n, w)
//	       float32. From 2^31 rows on, the indices are int64. Of a [Numbered] graph
//	       also rows.npy, (n,) int64, the number of every row.
//	npz    a CSR matrix of (n, n) with distances as float32 data, which
//	       scipy.sparse.load_npz reads. indices and indptr have one type, int32,
//	       or int64 where n or the number of entries needs it. The columns of a
//	       row are in order of distance, not of column: SciPy finds out by itself
//	       (has_sorted_indices is False) and sorts where it must. Entries of
//	       distance 0 are stored, not dropped.
//	gt     u32 n, u32 w, n*w int32 rows, n*w float32 keys: big-ann ground truth.
//	       Without Self, its SHA-256 is the checksum of the graph. Keys are of rows as the
//	       graph compared them, multiplied by a power of two where float32 would not hold
//	       squares (store.Manifest.Scale). Not of a [Numbered] graph, which has no keys.
//	ibin   u32 n, u32 w, n*w int32 rows; and beside it, the extension replaced
//	       by .fbin, u32 n, u32 w, n*w float32 distances
//	ivecs  for every row int32 w, then w int32 rows
//	csv    a line row,rank,neighbor,distance for every entry, after a line of
//	       these names; ranks count from 1, the row itself has 0. Where rows have
//	       external ids, those of row and neighbor follow: id,neighbor_id
//	graphml, gexf
//	       XML of nodes, labelled by their external ids, and edges with an attribute
//	       distance; directed, or undirected where the graph is made symmetric. There
//	       is no attribute weight: programs take one as a strength, which a distance
//	       is not.
//	metis  "n m", then for every row a line of its neighbors, numbered from 1, without
//	       weights. Of a symmetric graph only; m counts its pairs.
//	edgelist
//	       a line "row neighbor distance" for every edge, pairs of a symmetric graph once
//	ids    the external id of every row, a line each, as a build reads them; of
//	       a [Named] graph
//
// Isolated rows, which have no list, are filled with -1 and +Inf where the width
// is fixed, and are absent from csv and empty in npz; with Self too, for a row
// with a NaN has no distance even to itself.
//
// # Libraries
//
// [For] gives the options that a library expects: whether the row itself comes first,
// and whether the graph is symmetric. With others some of them go wrong in silence.
// Under ip a row need not be nearest to itself, and Self is refused ([ErrSelf]).
//
// # Passes and memory
//
// Lists as they are: one pass over the graph for csv, ivecs and the formats of
// nodes and edges, two for gt, npy, ibin and metis, four for npz (entries, row ends, columns, distances), and memory for
// one list. A symmetric graph is first written to a temporary file beside the
// target, in as many passes as its entries fill Options.Memory, and takes 4
// bytes a row on top.
//
// The lists of a [Numbered] graph are looked up once: where there are more passes, a
// temporary file beside the target keeps them, 8 bytes an entry.
//
// Files are written beside their final name, synced, and renamed when they are
// whole (package aside).
package export
