// Package sparsesearch answers queries over finished stores of sparse rows, such as TF-IDF:
// which rows are nearest to a vector that need not be one of them, exactly.
//
//	g, err := store.Open("docs.knng", nil)
//	s, err := sparsesearch.Open(g, nil)
//	hits, err := s.Search(sparsesearch.Vector{Columns: []uint32{3, 17}, Values: []float32{0.5, 2}}, sparsesearch.Query{K: 10})
//
// Package search does the same for rows that hold a value in every column. There a walk over the
// graph saves most comparisons. Sparse rows are compared all: a row costs the products of the
// columns that it shares with a query, which are few.
//
// # Cost
//
// Up to 1,024 queries are turned around at a time: every column lists the queries that have it,
// and their values. One pass over the rows of the store then adds, for each nonzero of a row, its
// product with the queries of that column. So many queries at once cost one reading of the rows,
// and one query costs that reading as well: 100 million nonzeros take some tenths of a second.
//
// # Distances
//
// are those of the store, to the bit: products are added by ascending columns, as package
// vectors/sparse defines the key. Results ascend by distance, then by row.
//
// # Memory
//
// Rows are mapped. A searcher holds 16 bytes a row under cosine and 4 under ip; a call holds 4
// bytes a column of the store, 16 bytes a nonzero of 1,024 queries, and for each thread 8 bytes
// for each result of these queries.
package sparsesearch
