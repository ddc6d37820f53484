package builder

import "github.com/knng/knng/store"

// Space is looked at before each phase writes. What is compared with it is the least that
// the phase will write: a build that would just fit is never refused, and one that
// fills the disk on the way stops as cleanly as one that did not begin.

// roomFor refuses a phase whose bytes have no room in the store's folder or in the
// scratch folder.
func (j *job) roomFor(what string, stored, scratch int64) error {
	return store.Room(what, store.Need{Dir: j.draft.Dir(), Bytes: stored}, store.Need{Dir: j.scratch, Bytes: scratch})
}

// listBytes is the least that lists of some entries each take.
func listBytes(rows, k int) int64 { return 8 * int64(rows) * int64(k) }

// roomForFold is for lists beside those that they replace.
func (j *job) roomForFold(n, k int) error { return j.roomFor("the fold", listBytes(n, k)/3, 0) }
