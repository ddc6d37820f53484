package propagation

import "github.com/knng/knng/builder/internal/candidates"

// foundRows is the number of rows whose entries are found at a time: few enough for L1.
const foundRows = 16

// found holds the entries of some rows whose places are entered.
type found struct {
	*Round
	first  int                // of the rows
	slots  []candidates.Entry // of their lists, K each
	at     []uint32           // the slots of the entries
	places []uint32           // in the entries
	rowOf  []uint32           // the row of each slot
}

func (r *Round) newFound() *found {
	n := foundRows * r.lists.K
	room := n + 16 // see codes.Dealt
	f := &found{Round: r, at: make([]uint32, room), places: make([]uint32, room), rowOf: make([]uint32, n)}
	for i := range f.rowOf {
		f.rowOf[i] = uint32(i / r.lists.K)
	}
	return f
}

// find finds the entries in the lists of rows first to end-1, at most foundRows, whose places are of so many
// parts, from part from on.
func (f *found) find(first, end, from, parts int) {
	f.first, f.slots = first, f.lists.Slots(first, end)
	at, places := f.at[:cap(f.at)], f.places[:cap(f.places)]
	n := candidates.Dealt(f.slots, from, parts, f.lists.N, at, places)
	f.at, f.places = at[:n], places[:n]
}

// take returns entry i in the form in which its place gathers it, row<<1 | new, and removes the mark of joins
// around that place.
func (f *found) take(i int) uint32 {
	at := f.at[i]
	row := f.rowOf[at]
	mark := uint32(f.slots[at]) & candidates.NewThere
	if mark != 0 {
		f.slots[at] &^= candidates.NewThere
		if int(at)-int(row)*f.lists.K >= f.fresh {
			mark = 0
		}
	}
	return (uint32(f.first)+row)<<1 | mark
}
