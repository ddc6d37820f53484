// Package living keeps a k-NN graph into which rows are put, and from which they are deleted.
//
//	db, err := living.Open("photos.knng", nil) // a store that knng build made
//	err = db.Update(func(tx *living.Tx) error {
//		_, err := tx.Put("cat.jpg", vector) // a new row; one of that id before is deleted
//		return err
//	})
//	view, err := db.View()
//	hits, err := view.Search(query, living.Query{K: 10})
//
// A transaction is durable when Update returns, whole or not at all, and every view opened later sees it. One
// process writes. Any number of processes read, each its own snapshot, which View.Refresh renews. Put rows
// are found at once, and exactly: every query is compared with each row that is not in the graph yet.
// DB.Integrate brings put rows into the graph, a chunk of 1,024 to 8,192 at a time, without building it
// again. Package builder/rebuild compacts a store: it builds a new graph of all live rows, while the store is
// read and written. With Options.Auto and Options.Rebuild a store does both by itself, when they are due.
//
// # Rows and ids
//
// A row has a number, which is never given to another row, not even by a compaction, and may have an external
// id, a string. At most one live row has an id: a row put under it replaces the earlier one. Rows of a built
// store keep their numbers and ids; isolated rows, which have no place in the graph, are not rows here.
//
// # Deletes
//
// A deleted row is in no result and no list from then on; store.Open and reader.Open refuse the store
// (store.ErrLiving). Searches walk over it, and count their effort in live rows, so that there are K results
// as long as K rows live. The lists of a compacted base hold max(8, k/4) more entries than are shown, so that
// few lists become short; a search completes those that do. The bytes of a deleted row are gone from the disk
// after the next compaction, when no view reads the old base.
//
// # Lists
//
// View.Neighbors is up to date at once: it joins the list of the graph, without its dead entries, with the
// pending rows. Every list has a horizon: up to this distance it holds every entry that was found. If a list
// has fewer than K live entries up to there, the graph is searched. View.Controls measures the recall of the
// lists at any time: it compares the lists of about 256 rows with exact ones, which Integrate keeps.
//
// # Files
//
// All are in DIR/living; the built store stays where it is until a compaction replaces it.
//
//	CURRENT           names the manifest that counts; every change ends in one rename of it
//	MANIFEST-000012   the base, the logs, and a compaction under way: JSON, and its SHA-256
//	base-000011/      a sealed store, as package store describes them
//	rows-000011       "KNNGROWN", u64 rows of the base, u64 the number of each, ascending, and
//	                  u64 xxhash64 of all before; absent where they count from 0
//	layer-000014      what lists learned of rows in the logs: package internal/layer
//	log-000012        operations since: package internal/oplog
//	appending         JSON: the first of rows that are being put, until an append of them has ended
//	backup            JSON: of which store this folder is a copy, until the copy is whole
//	lock              locked by the one writer
//
// In a compacted base with ids, the name of a row without one is a byte 0 and its number; an id that begins
// with a byte 0, which a build accepts, has another in front. Files are not changed in place, except the end
// of the last log and its durable length. Readers lock SEAL of their base, with a shared lock, and the writer
// removes no locked base; locks end with their processes. A reader takes no lock of the writer and waits for
// nobody.
//
// # Failures
//
// After a kill or a power cut at any moment, every promised transaction is there. After a failed write or
// sync the DB is dead (ErrBroken): the bytes on disk are unknown after a failed sync, and the store must be
// opened again. That does not apply to an integration or a compaction that finds the disk full: rows wait in
// the tail, and it is tried again (State.Unintegrated, ErrCompact). Damage in a log or a manifest is
// ErrCorrupt, which names file and byte; only a torn last frame of a log, which a crash leaves, is cut off. A
// missing file is damage too; if it is CURRENT, logs with operations and bases in the folder show it.
//
// # Memory and disk
//
// In memory, besides the maps of the base and its links: 4 bytes for each of 1,024 rows of a base if any of
// them is dead, 4 bytes a row of a base with rows that do not count from 0, and put rows with their ids,
// until a compaction; for integrated rows also about 500 bytes of lists and links a row, and 5 bytes a row of
// the base. On disk: put rows, with 40 bytes a transaction and some bytes a row. A compaction needs room for
// a second base and for the build.
package living
