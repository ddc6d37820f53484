package propagation

import (
	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/vectors/codes"
)

// A Round propagates by joins: the neighbors of a row, and the rows that have it as a neighbor, are compared
// with each other, because neighbors of one row are likely neighbors. A pair is compared only if one of the
// two has not been joined there before (Dong, Moses, Li 2011, "Efficient k-nearest neighbor graph
// construction for generic similarity measures", section 2).
//
// Best-first propagation compares one row with others one after the other; a join is a small matrix product.
// Every pair is offered to both ends.
//
// The neighbors of places are gathered for an eighth of the places at a time, from the present lists: this
// takes an eighth of the memory, and includes the finds of earlier joins. Joins around these places read the
// gathered neighbors and write the lists, so their order does not matter.
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
	most  int // a join takes at most so many rows that list a place
	fresh int // only so many leading entries of a list may count as new
	seed  uint64
	part  []uint16 // of every place: only places of different parts are compared; nil: all

	// For every entered place, gathered has its list, K words, and the rows that list it, up to ends:
	// place<<1 | new.
	gathered []uint32
	counts   []uint32 // rows that list each place
	ends     []uint32 // position of the next such row while they are gathered
	entered  int      // the part after the entered ones

	memory   offheap.Block[uint32] // of counts, ends and gathered
	listings *listings
}

// Parts is the number of parts of a round; recall may be measured between them. A whole round may overshoot
// its target by ten percent, an eighth of one by four (MNIST from 0.887 to 0.931), a part by one. Places are
// assigned to parts by hash, so that a shortened round has served all regions alike.
const Parts = codes.Parts

// enterParts is the number of parts entered at a time.
const enterParts = Parts / 8

// Part returns the part of a place. 16 consecutive places are of one part: they are near each other and share
// many neighbors, which are in a cache when the next of them is joined around. With that SIFT 1M at 0.95
// spends 15 % less CPU on joins than with 1, for the same pairs and recall; 8 to 1,024 take about the same.
func Part(place uint32) int { return codes.PartOf(place) }

// none is no neighbor.
const none = ^uint32(0)

// enterRows is the number of lists that a goroutine reads at a time.
const enterRows = 4096

// NewRound returns a round over lists, not begun. Its memory, about 1.5 bytes an entry and 9 a list, serves
// all rounds until it is freed.
func NewRound(lists *candidates.Lists, most int) *Round {
	r := &Round{lists: lists, most: most, fresh: lists.K}
	r.makeRoom(2*lists.N*lists.K/(Parts/enterParts) + lists.N/4)
	r.listings = newListings(r)
	return r
}

// Fresh sets how many leading entries of a list may count as new.
func (r *Round) Fresh(entries int) { r.fresh = min(entries, r.lists.K) }

// makeRoom makes room for so many entries in gathered. If it had less, counts and ends lose their contents.
func (r *Round) makeRoom(entries int) {
	if r.memory.Slice != nil && entries <= len(r.gathered) {
		return
	}
	n := r.lists.N
	r.memory.Free()
	r.memory = offheap.Make[uint32](2*n + entries)
	r.counts, r.ends, r.gathered = r.memory.Slice[:n], r.memory.Slice[n:2*n], r.memory.Slice[2*n:]
}

// Free frees the memory, and ends the round.
func (r *Round) Free() {
	r.counts, r.ends, r.gathered = nil, nil, nil
	r.memory.Free()
	r.listings.memory.Free()
}

// Begin begins with the first part, with a seed for drawing.
func (r *Round) Begin(seed uint64) { r.seed, r.entered = seed, 0 }

// Across makes joins by codes compare only places with rows of different parts; part has the part of every
// place; nil: all.
func (r *Round) Across(part []uint16) { r.part = part }

// Entered returns the part after the entered ones: 0 when a round begins.
func (r *Round) Entered() int { return r.entered }

// Enter gathers, for every place of part from and of some parts after it, its list and the rows that list it,
// and removes the marks of these entries. Nobody may be joining.
func (r *Round) Enter(from, threads int) error {
	r.entered = min(from+enterParts, Parts)
	return r.listings.enter(from, r.entered, threads)
}

// copyList copies the list of an entered place.
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

// listing returns the rows that list p, an entered place.
func (r *Round) listing(p uint32) []uint32 {
	return r.gathered[r.ends[p]-r.counts[p] : r.ends[p]]
}

// frozen returns the list of p, an entered place, as it was when entered: place<<1 | new.
func (r *Round) frozen(p uint32) []uint32 {
	from := int(r.ends[p]-r.counts[p]) - r.lists.K
	return filled(r.gathered[from : from+r.lists.K])
}

// filled removes the empty end.
func filled(row []uint32) []uint32 {
	n := len(row)
	for n > 0 && row[n-1] == none {
		n--
	}
	return row[:n]
}
