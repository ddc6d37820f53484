// Package search answers queries over a finished store: which rows are nearest to a vector
// that need not be one of them.
//
//	g, err := store.Open("photos.knng", nil)
//	s, err := search.Open(g, nil)
//	hits, err := s.Search(vector, search.Query{K: 10})
//
// store.Open refuses stores that rows were put into or deleted from; package living searches those.
//
// A query walks the graph from row to row, always from the nearest that it knows, and stops when the nearest
// open row is further away than the last of the best Query.Effort rows found. On 1,000,000 SIFT descriptors
// that takes some hundred comparisons. A walk may miss rows: Searcher.Tune finds the effort for a recall, and
// Query.Exact misses none.
//
// # Links
//
// The lists alone do not suffice: a row that is in no list cannot be reached, and on SIFT no effort finds
// 99 %. So a row is linked to the first 20 entries of its list, and to rows that list it, first those in whose
// lists it has the lowest rank, up to 40 links in all (twice K if K is less). With these a walk evaluates as
// many rows as one over an HNSW graph for the same recall. Links are derived from the lists without computing
// a distance, in some seconds for a million rows. They are kept beside the store in DIR/search, which may be
// deleted: the next Open makes it again. If that directory cannot be written to, the links stay in memory,
// which is no error.
//
// A walk begins at the 4 nearest of the leaders. Leaders are sqrt(n)/10 rows, at least 128, drawn by a seed,
// and one row of every island, a set of rows that no link leads to. Up to 16 sqrt(n) islands have a leader,
// or 0.3 sqrt(n), at least 384, if memory does not hold all; if there are more, the largest do, and
// State.Unled reports it. Searches then miss most rows of the other islands, except those by codes: of 200,000
// rows of 32 elements in 40,000 islands, with lists of 4, walks in memory find 0.21, those by codes of 8 bytes
// 0.96, those without codes 0.29. With several islands a walk begins in the 8 nearest, judged by their leaders.
// If links come to an end before enough results are found, it goes on from further leaders, and at last looks
// at all rows: a query gets K results if the filter leaves as many. If there are more identical rows than a
// place has links, the others are in no list, and no link leads to them. If these may be results and memory
// holds all, the walk looks at all rows too.
//
// If memory holds all, a walk with results much further from the query than from one another looks again: at
// sqrt(n) places all over the rows, once more at three times as many if the results are still as far, and
// goes down from the 8 nearest. This finds clusters of fewer rows than a list has, and folds of a surface,
// although few links lead there. If the query differs from most rows by 100 times as much as these differ from
// one another, the walk first looks at the rows that do too. The first such query finds them: it reads all
// rows once.
//
// # Filters
//
// Query.Keep and Query.Only say which rows may be results. A walk also goes over other rows, but its effort
// counts only results that may be returned. If a set has few rows, or a predicate turns out to pass few, the
// query is compared with each of them: exactly.
//
// # Distances
//
// Distances are those of the store, to the bit, if the query's elements fit the rows' type: for bytes, whole
// numbers from 0 to 255. Other queries are compared in float32 with exactly converted rows, which is slower
// over bytes.
//
// # More rows than memory holds
//
// If rows and links exceed Options.Budget, memory holds a short code of every row: a byte for every three
// elements, at most 64, or as many as seven eighths of the budget allow, less 8 bytes a row. Codes estimate
// distances under all metrics except chebyshev and those of bits. If these are squared or of directions, and
// a code has 8 bytes or more, it holds the difference between the row and the mean of its run; a run is 4,096
// consecutive places, or a 2,048th of all if that is more. The last byte of such a code is for a sum of both.
//
// A walk then begins at the nearest of the leaders and 16 sqrt(n) other places, by their codes: at 64, or
// sqrt(n)/8 if that is more, and at all places next to these, of any island. That reads nothing. Nor does
// looking at the codes of the places next to the 256 nearest, which it does at every step. It reads a page
// for the links of each place that it follows, and rows only at its end: the nearest by their codes, and
// those that may be as near, judged by the errors of the first estimates. It compares all rows of a page that
// it reads. Distances are still exact. The lists differ from those of a search in memory, but do not depend
// on the number of goroutines. Query.Seen is called with the rows compared.
//
// The first Open with such a budget makes the codes, in some seconds for a million rows, and keeps them in
// DIR/search/codes, which may be deleted. If the budget has no room for codes, or the metric has none, a walk
// reads rows and links, 16 KiB at a time and all of a hop together, and compares all rows that it has read.
// It begins at the nearest of 4 sqrt(n) rows, which may take an eighth of the budget, and goes down no
// island. For the same effort it finds more than a walk in memory: on 1,000,000 SIFT descriptors 0.992 at
// effort 10 with 170 reads. The file of codes has a header of 4096 bytes with an xxhash64 at byte 4088:
// "KNNGCODE", u32 version 2, u32 bytes of a code, u64 places, u64 elements, u64 seed, u64 xxhash64 of the
// rows in the order of places, checksum of the graph in 64 bytes of hex, u64 xxhash64 of the centers with the
// zeros behind them, and of the codes, u32 places of a run or 0. Then follow 256 centers of every part, and,
// if there are runs, 256 levels of the last byte and the mean of every run, all float32, filled up to 4096
// bytes, and the codes by place. All of it is hashed when it is opened.
//
// # Rows in an order of locality
//
// A page that is read for one row or place serves more if it also holds near rows. Builds by balls arrange
// rows so; builds by parts leave them in the order of the input. If a budget holds neither rows nor links,
// and rows are in the order of the input, the first Open therefore keeps a second copy of the rows in an
// order of locality. It takes the disk space of the rows and 4 bytes a row. On 2,000,000 generated rows by
// parts, recall is 0.960 with 52 pages; without the copy it is 0.829 with 57. Under inner products there is
// no copy, since the rows of a list are not near each other.
//
// Every row goes to the nearest of up to 1,024 leaders. Then the rows of each leader are ordered, at most 32
// MiB at a time: they are divided by leaders again and again until 8 are left. The order does not depend on
// threads or limits. Links and codes use its places. If the copy exists, every Open reads it, except with
// Options.Memory or Options.Rows. DIR/search/rows may be deleted; then links and codes are made again too.
//
//	byte  0     "KNNGNEAR"
//	byte  8     u32 version, 1
//	byte 12     u32 bytes of a row
//	byte 16     u64 places, n
//	byte 32     u64 seed
//	byte 40     u64 xxhash64 of the rows in the order of the store, u32 each
//	byte 48     checksum of the graph, 64 bytes of hex
//	byte 112    u64 sum of the xxhash64 of every row, its number as seed
//	byte 120    u64 xxhash64 of the rows in the order of this file, u32 each
//	byte 4088   u64 xxhash64 of all before
//	byte 4096   the row of each place; zeros up to a multiple of 8
//	            the number of the row of each place, u32
//
// The order is hashed when it is opened. The rows are not hashed, like those of the store; Check compares the
// two.
//
// # The file DIR/search/links
//
//	byte  0     "KNNGLINK"
//	byte  8     u32 version, 1
//	byte 12     u32 links of a place, w
//	byte 16     u64 places, n
//	byte 24     u32 leaders
//	byte 28     u32 links of a place that come from its list, at most
//	byte 32     u64 seed of the leaders
//	byte 40     u64 xxhash64 of the rows in the order of places, u32 each
//	byte 48     checksum of the graph, 64 bytes of hex
//	byte 112    1 where there are norms, then zeros
//	byte 120    u64 sum of the xxhash64 of every 4096 places of the table, block number as seed
//	byte 128    u64 xxhash64 of all behind the table
//	byte 4088   u64 xxhash64 of all before
//	byte 4096   the table: for each place w places, u32, filled up with 0xffffffff
//	            for each leader the first place of its island, u32, and its own; by both;
//	            then under cosine the norm of every place, f64
//
// A place is a position in the store's vectors or in their copy. A file of another graph or of other
// settings, or with a wrong length or hash, is made again. The table is not hashed when it is opened. Instead
// every link is compared with n when it is followed; a wrong link below n costs recall, but never gives a
// wrong distance. Check compares all.
package search
