// Package store keeps a k-NN graph on disk: adjacency lists, per-division
// subgraphs, the progress of a build, the locality order and external ids, all
// in Pebble.
//
// Most programs need two functions: [Open] opens a finished store, and
// [Store.Neighbors] looks a row up. [BuildReverse] builds the
// in-neighbors, the rows that list a row, for [Store.InNeighbors]. [OpenDraft] creates or
// resumes a store that is being built; package builder calls it. A store that rows were put into or
// deleted from is read by package living; Open refuses it (ErrLiving).
//
// # The format, version 1
//
// A store is one directory:
//
//	graph/          a Pebble database (format major version FormatTableFormatV6,
//	                bytewise comparer, merger "knng.1", no filters)
//	vectors/rows    the rows in locality order, collapsed ones last, or, where
//	                they were solved in parts, in that of the input; the format
//	                is that of package vectors, of sparse rows that of package
//	                vectors/sparse. Absent where the rows are referenced
//	view            where lists lie in Pebble's tables; derived, may be deleted
//	catalog         records and ids for package reader; derived, may be deleted
//	map             positions of rows on the page of knng explore; derived, may
//	                be deleted, and nothing here reads it
//	SEAL            written last: the store is finished where it stands
//	reverse/        in-neighbors, where they were asked for; may be deleted
//	search/         links that package search walks; derived, may be deleted
//	living/         rows put and deleted since, which package living keeps
//	scratch/        lock, temporary files, leaves of a division, computed pairs; may be deleted
//
// and, during a build, graph/written, the account of Pebble's files on disk (package
// written).
//
// Keys are a tag byte and big-endian integers, so that they sort as the numbers
// do. Values are little-endian; "uvarint" is that of Go's encoding/binary. A row
// is a position in the input. A place is a position in locality order: the rows
// of vectors/rows stand by place, and only building uses places.
//
//	01 name                      record, JSON: manifest, audit, order, ids, state,
//	                             division/N, folded, adjacency, result, rows,
//	                             tables, and what a method keeps: rounding,
//	                             state-ahead, distance-cost
//	02 stage:4 unit:4            a finished unit of a stage: its counts, JSON
//	10 stage:4 unit:4 block:4    subgraph block: lists by place (below)
//	12 stage:4 place:4           folded lists from that place on, as of a stage
//	20 division:4 place:4        leaf numbers of up to 4096 places, u32 each; of
//	                             division 0, which has none: of each row, the
//	                             first that is identical, where they collapse;
//	                             of 2^31-1: the tier that it is compared in
//	30 row/16:8                  adjacency of 16 rows (below)
//	31 row/16:8                  in-neighbors of 16 rows (below)
//	40 place:4                   locality order: rows of up to 4096 places, u32
//	41 row/64:8                  ids of 64 rows: uvarint length and UTF-8, each
//	42 id                        row of an external id, u64
//
// A finished store has tags 01, 30, 40, and with ids 41 and 42; its in-neighbors
// have 01 and 31, in reverse/.
//
// # Adjacency
//
// The value under 30 holds the lists of rows 16*b to 16*b+15 (fewer in the last
// block), every row's neighbors as u32 rows and their keys as f32, sorted by
// (key, row). A list has K entries, K being that of the record "adjacency", or
// none for an isolated row.
//
//	byte  0                         m, rows of the block: 1 to 16
//	bytes 1 .. 2m                   entries of each row, u16
//	then for each row in turn       neighbors, 4 bytes an entry
//	                                keys, 4 bytes an entry
//
// A block of two rows with K = 2, rows 0 and 1 of three points on a line at 0, 1
// and 3 (keys are squared distances 1, 9 and 4):
//
//	02                                        two rows
//	02 00  02 00                              two entries each
//	01 00 00 00  02 00 00 00                  neighbors of row 0: 1, 2
//	00 00 80 3f  00 00 10 41                  keys 1.0, 9.0
//	00 00 00 00  02 00 00 00                  neighbors of row 1: 0, 2
//	00 00 80 3f  00 00 80 40                  keys 1.0, 4.0
//
// Pebble's tables of adjacency and in-neighbors are not compressed: their
// compression keeps no block of such values anyway, and a view needs them so.
//
// # The view
//
// A lookup through Pebble walks an index of blocks, copies a block into a cache
// and takes some microseconds. The view does without: for every value under 30
// it says at which byte of which of Pebble's tables, graph/*.sst, the value lies,
// as it was set. The tables are mapped, and a lookup costs as much as one in a
// mapped array. Pebble stays the home of the lists, and no list is on disk twice:
// the view takes 1 byte a row.
//
//	byte  0    "KNNGVIEW"
//	byte  8    u32 version of the view, 1
//	byte 12    u32 tag: 30, or 31 in reverse/
//	byte 16    u64 rows
//	byte 24    u64 tables, t
//	byte 32    for each table 32 bytes: its name, filled up with zeros to 24
//	           bytes, and its size, u64
//	           u64 xxhash64 of all before
//	           zeros up to a multiple of 4096 bytes
//	then for each block of 16 rows, in order, 16 bytes:
//	byte  0    u64 place: table (from 0) << 40 | byte in it
//	byte  8    u64 xxhash64 of the value, with the number of the block as seed
//
// The counts of a value give its size. A process verifies a value when it first touches
// it: checksum, number of rows, every neighbor. A value that differs from the view is an
// error that names the table and the rows, never a list. The first touch also requests
// all pages of the value at once, so that it takes one read of the disk.
//
// The view is made before the store is sealed, by searching the tables for the values
// that Pebble reads. It is a function of the tables, and Check compares it with one made
// again. The seal does not list it. Without one, or in a store
// whose tables an older version has compressed, lookups go through Pebble.
// reverse/view is the same of the in-neighbors.
//
// The entry of a store of three rows (testdata/dump.golden), whose only block lies
// 0x53 bytes behind the beginning of the only table; knng dump DIR view/N prints
// that of row N:
//
//	53 00 00 00 00 00 00 00                   table 0, byte 83
//	35 e6 4a 87 92 97 a1 ef                   checksum of its 55 bytes
//
// # The catalog
//
// Package reader opens a store without Pebble. It looks lists up in the view, and finds in
// the catalog the rest that it needs of the database: records, ids, and the place of each
// row. A store with a catalog looks ids up in it as well.
//
//	byte  0    "KNNGCATL"
//	byte  8    u32 version of the catalog, 1
//	byte 12    u32 bytes of the records
//	byte 16    u64 rows
//	byte 24    u64 ids: as many as rows, or 0
//	byte 32    u64 places: as many as rows, or 0 where the place of every row is its number
//	byte 40    u64 xxhash64 of the records
//	byte 48    u64 xxhash64 of all before
//	byte 56    records, a JSON object: manifest, adjacency, result, tables, ids, order
//	then, each from a multiple of 4096 bytes on:
//	           where there are ids, for each block of 64, 16 bytes: u64 offset among the
//	           blocks, u64 xxhash64 of the block, with its number as seed; and 16 bytes
//	           with their size
//	           rows in the order of their ids, in pages
//	           place of each row, in pages; 0xffffffff for a row without one
//	           blocks of ids, as under 41
//	then       SHA-256 of SEAL, 32 bytes
//	           u64 xxhash64 of these
//
// A page is 4096 bytes: 1022 numbers, u32, zeros where there are fewer, and the u64
// xxhash64 of all that, with the number of the page as seed. Blocks and pages are verified
// at their first touch, as those of the view are. The catalog is written before the store is
// sealed, all but its end, which binds it to the seal: one of another store is an error.
// It takes 4 bytes a row, and with ids 4 more and the ids.
//
// # In-neighbors
//
// reverse/ is laid out as the store is: graph/, a Pebble database of the same
// settings, and SEAL, over the files of reverse/. The record "reverse" names the
// checksum of the graph that it belongs to, its rows and its entries. It is
// derived from the lists, is made and renamed as a whole after the store is
// sealed (BuildReverse), and neither is the store's seal about it nor does the
// store need it.
//
// The value under 31 holds the rows that list rows 16*b to 16*b+15, with the keys
// of those lists, sorted by (key, row): a block like those under 30, but a row
// has any number of entries, and they are counted in u32.
//
// # Lists by place
//
// Values under 10 and 12: partial lists during a build. The balls method keeps its
// candidates in them under 12: a neighbor is then place<<1 | 1 where it is new since the
// last join began, and a key the distance of codes, a u32.
//
//	byte 0                       0; in stores of before the form was changed, the
//	                             number of rows: an error
//	uvarint                      rows
//	byte                         bits of a neighbor, b: 1 to 32
//	byte                         bits 0 to 4: z, the bits that are zero at the end of
//	                             all keys; bit 5: steps are counted down
//	rows times: uvarint          place minus the place before (the first: the place)
//	            uvarint          entries
//	then numbers without a gap, lowest bits of the lowest byte first:
//	            for every entry of all rows, its neighbor, a place: b bits
//	            for every row with entries, its first key, the bits of an f32 shifted
//	            right by z: 32-z bits; where there are more, the bits of a step, s:
//	            6 bits; then for each further key what it adds to the one before, both
//	            shifted: s bits
//	zeros up to a byte, and 8 bytes of them
//
// Places 5 and 7 with neighbors 9 and 4 at 1.0 and 3.0, and 5 at 2.0:
//
//	00 02 04 16                               two rows, b = 4, z = 22
//	05 02  02 01                              place 5: two entries, place 7: one
//	49 .5                                     neighbors 9, 4; 5
//	e. 8f 30 40 00                            0xfe in 10 bits, s = 2, +3; 0x100 in 10
//	00 00 00 00 00 00 00 00
//
// # How a build is written
//
// Bulk data are written as tables beside the database and ingested, all of a
// unit or none of it; then the unit is marked under 02 with a sync. The state
// after stage s is the folded lists (12, of the stage that the record "folded"
// names), united with the blocks (10) of marked units of later stages up to s.
// A fold writes new lists, then the record, then excises the lists and blocks that it
// replaces. Blocks of unmarked units, and lists of stages other than that of the record,
// are leftovers of a crash and mean nothing.
// An unfinished store with a file graph.early was killed in its first second, before anything
// was synced: all else in it is removed when its build is given again, which begins anew.
//
// # The seal
//
//	knng seal 1
//	<sha256 in hex> <size> <path>      a line for each file, by path
//	seal <sha256 in hex of all lines before>
//
// It lists all files but the view, the catalog and those in scratch/, reverse/, search/
// and living/.
//
// Opening a store compares it with its seal: it opens only listed files, each regular, of
// the size listed, and reached without a symbolic link; files of the database up to 1 MiB
// have the SHA-256 listed. Larger ones are recognized by their ends. A table that was
// written in bulk has the property "knng.contents": a byte of Pebble's, and the xxhash64
// of, for each key in order, u32 length of the key, u32 length of the value, both. The
// record "tables" lists for each such table, and for the rows, its path and a hash: of a
// table, xxhash64 of its size (u64), its first 16 KiB and its last; of the rows, that of
// vectors.File.Sample. A check hashes everything.
//
// # Files that a build reads again
//
// The record "rows" has the size of vectors/rows, and the xxhash64 of the xxhash64 of each
// MiB of it (u64, big-endian): a resumed build reads the rows once and compares them. It
// compares input that it reads again with the checksum of the audit, and Pebble's manifest
// and logs with graph/written.
//
// # Size
//
// 1,000,000 rows of 128 bytes with k = 20 (knng dump DIR prints such a table):
// vectors 128.0 MB, adjacency 165.6 MB (20 entries of 8 bytes and 2 of count a
// row), the view of it 1.0 MB, the catalog 4.0 MB, locality order 4.0 MB, records 6 KB.
// In-neighbors: 167.8 MB.
//
// # Versions
//
// The manifest names the format's version. A version of knng reads the formats of this list and
// refuses all others with ErrFormat, which names both. Each has a golden store in testdata.
// Derived files have versions of their own: one of another version counts as absent, and is made again.
// An unfinished build of a version whose blocks, divisions or steering rows were others is refused; other changes of
// a builder are not told apart, and give a sound graph that no single version would have made. Runs of package
// builder/shards refuse every other version.
//
//	1  the first. Partial lists, which only unfinished builds have, changed their form
//	   since: they begin with a byte 0 now, and a build that has others is refused. Stores
//	   of before have no record "tables", and are opened without
package store
