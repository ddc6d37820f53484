package propagation

import "math/bits"

// visited is a set of places that is emptied in constant time. A table of four
// times the capacity stays in L1 at the default 500 visits (16 KB), which one
// mark per row of the data set would not.
type visited struct {
	slots []slot
	shift int
	epoch uint32
}

type slot struct{ id, epoch uint32 }

func newVisited(capacity int) visited {
	width := bits.Len(uint(4*capacity - 1))
	return visited{slots: make([]slot, 1<<width), shift: 64 - width}
}

func (v *visited) reset() {
	v.epoch++
	if v.epoch == 0 { // wrapped: marks of 2^32 resets ago would count again
		clear(v.slots)
		v.epoch = 1
	}
}

// add adds id and reports whether it was not in the set. At most capacity ids may be added between resets.
func (v *visited) add(id uint32) bool {
	at := uint64(id) * 0x9e3779b97f4a7c15 >> v.shift
	for {
		s := &v.slots[at]
		if s.epoch != v.epoch {
			*s = slot{id, v.epoch}
			return true
		}
		if s.id == id {
			return false
		}
		at = (at + 1) & uint64(len(v.slots)-1)
	}
}
