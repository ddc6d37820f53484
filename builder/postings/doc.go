// Package postings builds the exact k-NN graph of sparse rows, such as TF-IDF, under cosine
// and inner products. [Build] is the function that programs need; calling it again with the
// same options continues an interrupted build.
//
// # Passes
//
//	0  rows       the matrix is read once, looked at, and written as the store's own rows,
//	              in the order of the input
//	1  index      rows are turned around, some thousand at a time (a slab): for every
//	              column, its postings, which are the rows of the slab that have it, and
//	              their values. The index is a file of the scratch folder, mapped; a build
//	              that goes on makes it again
//	2  exact      for each row and slab, the products along the row's postings are added up,
//	              one sum for each row of the slab, and sums above the row's bound become
//	              keys. A unit of some hundred rows ends with their exact lists
//	3  adjacency  lists, checksum, seal
//
// Pass 2 takes the time: the sum, over columns, of the squares of their numbers of rows. A
// row adds its products by ascending columns, as the key is defined, so sums are keys to the
// bit, and the graph depends on no slab, thread, limit or interruption.
//
// # Frequent columns are left out
//
// Most postings belong to a few columns that most rows have, and these columns say little: their
// weights are small. So the rows of a unit replace them by a bound (Bayardo, Ma and Srikant, "Scaling
// up all pairs similarity search", 2007; Anastasiu and Karypis, "L2AP", 2014). With F the frequent
// columns, dot(x,y) is at most the sum over the other columns plus norm(x in F) * norm(y in F). If
// that is below the bound of the row's list, y is out; else the whole product is computed. Each row
// chooses anew for every slab which columns count as frequent, by the postings saved and the products
// computed: columns of at least a quarter of all rows, down to at least a 64th. No row is left out
// that could be in a list.
//
// # Memory
//
// Rows and index are mapped and not counted. Held are 4 bytes for each column, some 40 for
// each row, a slab while it is turned around, and for each thread a sum for each row of a
// slab, a unit's lists, and 4 bytes for each column.
package postings
