package propagation

import (
	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/vectors/codes"
)

// A Round propagates by joins: the neighbors of a row, and the rows that have it
// as a neighbor, are compared with each other, because neighbors of one row are
// likely neighbors. Only pairs are compared of which one has not been joined there
// before (Dong, Moses, Li 2011, "Efficient k-nearest neighbor graph construction for
// generic similarity measures", section 2).
//
// Where best-first propagation compares one row with others one after the
// other, a join is a small matrix product. Every pair is offered to both ends.
//
// The neighbors of the places are gathered for an eighth of them at a time, from the lists as they
// are then: in an eighth of the memory, and with the finds of the joins before. Joins around
// these places read the gathered neighbors and write the lists, so their order does not matter.
//
//	round := NewRound(lists, most)
//	round.Begin(seed)
//	for from := 0; from < Parts; from = round.Entered() {
//		err := round.Enter(from, threads)
//		join := round.Join(codes)   // one for each goroutine
//		pairs := join.Around(place) // of parts from to round.Entered()-1, in any order
//	}
//	round.Free()
type Round struct {
	lists *candidates.Lists
	most  int // rows listing a place that a join takes
	fresh int // so many entries of a list, the first, count as new where they are
	seed  uint64
	part  []uint16 // of every place: only places of different parts are compared; nil: all

	// Of every place entered, gathered has its list, K words, and the rows that list it, up to
	// ends: place<<1 | new.
	gathered []uint32
	counts   []uint32 // rows that list each place
	ends     []uint32 // while they are gathered where the next of them goes
	entered  int      // the part after those

	memory   offheap.Block[uint32] // of counts, ends and gathered
	listings *listings
}

// Parts is into how many parts a round may be cut, between which recall is measured: a
// round alone may overshoot its target by ten percent, an eighth of one by four (MNIST
// from 0.887 to 0.931), a part by one. They are dealt like lots, so that a round cut short
// has served all regions alike.
const Parts = codes.Parts

// enterParts is how many parts are entered at a time.
const enterParts = Parts / 8

// Part is the part that a place is in. 16 places, one after the other, are of one part: they are near and have
// much around them in common, which is in a cache when the next of them is joined around.
// SIFT 1M at 0.95 spends 15 % less CPU on joins than with 1, for the same pairs and recall; 8
// to 1,024 take about the same.
func Part(place uint32) int { return codes.PartOf(place) }

// none stands for no neighbor.
const none = ^uint32(0)

// enterRows is how many lists a goroutine looks through at a time.
const enterRows = 4096

// NewRound returns a round over lists, not begun. Its memory, some 1.5 bytes an entry and
// 9 a list, serves one round after the other until it is freed.
func NewRound(lists *candidates.Lists, most int) *Round {
	r := &Round{lists: lists, most: most, fresh: lists.K}
	r.makeRoom(2*lists.N*lists.K/(Parts/enterParts) + lists.N/4)
	r.listings = newListings(r)
	return r
}

// Fresh has only the first so many entries of a list count as new.
func (r *Round) Fresh(entries int) { r.fresh = min(entries, r.lists.K) }

// makeRoom has gathered hold so many entries. Counts and ends are those of nothing where it had less room.
func (r *Round) makeRoom(entries int) {
	if r.memory.Slice != nil && entries <= len(r.gathered) {
		return
	}
	n := r.lists.N
	r.memory.Free()
	r.memory = offheap.Make[uint32](2*n + entries)
	r.counts, r.ends, r.gathered = r.memory.Slice[:n], r.memory.Slice[n:2*n], r.memory.Slice[2*n:]
}

// Free gives the memory back. The round is over.
func (r *Round) Free() {
	r.counts, r.ends, r.gathered = nil, nil, nil
	r.memory.Free()
	r.listings.memory.Free()
}

// Begin begins with the first part. seed draws lots.
func (r *Round) Begin(seed uint64) { r.seed, r.entered = seed, 0 }

// Across has joins by codes compare only places whose rows are of different parts, as part tells of every
// place; nil: all.
func (r *Round) Across(part []uint16) { r.part = part }

// Entered is the part after those whose places may be joined around: 0 when a round begins.
func (r *Round) Entered() int { return r.entered }

// Enter gathers, for every place of part from and of some after it, its list and the rows
// that list it, and takes the marks off these entries. Nobody may be joining.
func (r *Round) Enter(from, threads int) error {
	r.entered = min(from+enterParts, Parts)
	return r.listings.enter(from, r.entered, threads)
}

// copyList copies the list of a place that is entered.
func (r *Round) copyList(p uint32, to []uint32) {
	list := r.lists.Entries(p)
	for i, e := range list {
		to[i] = e.Place() << 1
		if i < r.fresh {
			to[i] |= e.Marks() / candidates.NewHere
		}
		list[i] = e &^ candidates.NewHere
	}
	for i := len(list); i < len(to); i++ {
		to[i] = none
	}
}

// listing are the rows that list p, a place entered.
func (r *Round) listing(p uint32) []uint32 {
	return r.gathered[r.ends[p]-r.counts[p] : r.ends[p]]
}

// frozen is the list of p, a place entered, as it was then: place<<1 | new.
func (r *Round) frozen(p uint32) []uint32 {
	from := int(r.ends[p]-r.counts[p]) - r.lists.K
	return filled(r.gathered[from : from+r.lists.K])
}

// filled cuts the empty end off.
func filled(row []uint32) []uint32 {
	n := len(row)
	for n > 0 && row[n-1] == none {
		n--
	}
	return row[:n]
}
