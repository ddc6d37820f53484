package job

import "github.com/knng/knng/store"

// Free space is checked before each phase writes, against the least that the phase will write. So a build
// that just fits is never refused, and a build that fills the disk stops as cleanly as one that did not
// begin.

// RoomFor refuses a phase whose bytes do not fit in the store's folder or in the scratch folder.
func (j *Job) RoomFor(what string, stored, scratch int64) error {
	return store.Room(what, store.Need{Dir: j.Draft.Dir(), Bytes: stored}, store.Need{Dir: j.Scratch, Bytes: scratch})
}

// ListBytes returns the least bytes of lists with some entries each.
func ListBytes(rows, k int) int64 { return 8 * int64(rows) * int64(k) }

// RoomForFold is RoomFor for lists that exist beside those that they replace.
func (j *Job) RoomForFold(n, k int) error { return j.RoomFor("the fold", ListBytes(n, k)/3, 0) }
