// Package living keeps a k-NN graph that rows are put into and deleted from.
//
//	db, err := living.Open("photos.knng", nil) // a store that knng build made
//	err = db.Update(func(tx *living.Tx) error {
//		_, err := tx.Put("cat.jpg", vector) // a new row; one of that id before is deleted
//		return err
//	})
//	view, err := db.View()
//	hits, err := view.Search(query, living.Query{K: 10})
//
// A transaction is durable when Update returns, whole or not at all, and visible to every view
// that is opened from then on. One process writes; any number read, each its own snapshot, which
// View.Refresh renews. Put rows are found at once, and exactly: every query is compared with
// each row that is in no graph yet. DB.Integrate brings put rows into the graph, a chunk of 1,024
// to 8,192 at a time, without building it again. Package builder/rebuild compacts a store: it
// builds a new graph of all live rows, while the store is read and written. With Options.Auto
// and Options.Rebuild a store does both by itself, where they are due.
//
// # Rows and ids
//
// A row has a number, which is given once and never again, also not by a compaction, and may
// have an external id, a string. An id belongs to one live row at most: a row put under it
// replaces the row before. Rows of a store that was built keep their numbers and ids;
// isolated ones, which have no place in the graph, are no rows here.
//
// # Deletes
//
// A deleted row is in no result and no list from then on: store.Open and reader.Open refuse the store
// (store.ErrLiving). Searches walk over it, and count
// their effort in live rows, so that there are K results as long as K rows live. A base that was
// compacted holds max(8, k/4) more entries a list than are shown, so that few lists come short;
// one that does is completed by a search. The bytes of a deleted row are gone from the disk after
// the next compaction, once no view reads the base of before.
//
// # Lists
//
// View.Neighbors is right at once: it joins the list of the graph, less its dead entries, with the
// pending rows. Every list has a horizon, up to which no entry is left out that was found; where
// a list has fewer than K live entries up to there, the graph is searched. How much the lists
// hold of the truth is known at any time: View.Controls compares those of some 256 rows with exact
// ones, which Integrate keeps.
//
// # Files
//
// All are in DIR/living; the store that was built stays where it is, until a compaction replaces
// it.
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
// In a compacted base with ids a row without one is called by a byte 0 and its number; an id that begins with a
// byte 0, which a build takes, has another in front. Nothing is written in place
// but the end of the last log and its durable length. Readers lock SEAL of the base that they
// read, together, and the writer removes no base that is locked; locks go with their processes.
// A reader takes no lock of the writer's and waits for nobody.
//
// # Failures
//
// After a kill or a power cut at any moment every transaction that was promised is there. After
// a failed write or sync the DB is dead (ErrBroken): nobody knows the bytes on a disk after a
// failed sync, and the store must be opened anew. An integration or a compaction for whose files the disk has no room is none of
// these: rows wait in the tail, and it is tried again (State.Unintegrated, ErrCompact). Damage in a log or a manifest is ErrCorrupt, which
// names file and byte; only a torn last frame of a log, which a crash leaves, is cut off. A file that is
// not there is damage too: of CURRENT, logs with operations tell, and bases in the folder.
//
// # Memory and disk
//
// In memory, beside the maps of the base and its links: 4 bytes for each of 1,024 rows of a base
// of which any is dead, 4 bytes a row of a base whose rows do not count from 0, and put rows with their
// ids, until a compaction; of integrated ones also some 500 bytes of lists and links a row, and 5 bytes a
// row of the base. On disk, put rows as they are, with 40 bytes a transaction and some bytes a row. A
// compaction needs room for a second base and for the build.
package living
