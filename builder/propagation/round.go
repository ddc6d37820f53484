package propagation

import (
	"math"
	"sync/atomic"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/lot"
	"github.com/knng/knng/builder/pages"
	"github.com/knng/knng/vectors"
)

// A Round propagates by joins: the neighbors of a row, and the rows that have it
// as a neighbor, are compared with each other, because neighbors of one row are
// likely neighbors. Only pairs are compared of which one entered a list since
// the round before (Dong, Moses, Li 2011, "Efficient k-nearest neighbor graph
// construction for generic similarity measures", section 2).
//
// Where best-first propagation compares one row with others one after the
// other, a join is a small matrix product. Every pair is offered to both ends.
// The round reads the lists as they were when it began, and writes the next
// generation, so the order of joins does not matter.
//
// Who lists whom is gathered for some of the places at a time, which takes a quarter of
// the memory of all:
//
//	round := NewRound(lists, most)
//	err := round.Begin(seed, threads)
//	for from := 0; from < Parts; from = round.Entered() {
//		err := round.Enter(from, threads)
//		join := round.Join(codes)   // one for each goroutine
//		pairs := join.Around(place) // of parts from to round.Entered()-1, in any order
//	}
//	round.Free()
type Round struct {
	lists  *candidates.Lists
	before []uint32   // N*K: place<<1 | new
	counts []uint32   // rows that list each place
	sizes  [Parts]int // of all counts, by part
	most   int        // rows listing a place that a join takes
	seed   uint64

	room    int      // of back
	back    []uint32 // rows that list the places entered: row<<1 | new
	entered int      // the part after those
	next    []uint64 // where in it the next of them goes; added to atomically

	words [2]pages.Block[uint32] // before and counts
	longs pages.Block[uint64]    // next
	rows  pages.Block[uint32]    // back
}

// Parts is into how many parts a round may be cut, between which recall is measured: a
// round alone may overshoot its target by ten percent, an eighth of one by four (MNIST
// from 0.887 to 0.931), a part by one. They are drawn by lot, so that a round cut short
// has served all regions alike.
const Parts = 32

// Part is the part that a place is in.
func Part(place uint32) int { return int(lot.Mix(uint64(place)) % Parts) }

const none = math.MaxUint32

// beginRows is how many lists a goroutine freezes at a time.
const beginRows = 4096

// enteredShare says for how many of all entries who lists whom has room: for a quarter,
// eight parts or so. With room for all it was a fifth of a build's memory; another look
// at every frozen list for each quarter costs less than the time differs from run to run.
const enteredShare = 4

// NewRound returns a round over lists, not begun. Its memory, 5 bytes an entry and
// 16 a list, serves one round after the other until it is freed.
func NewRound(lists *candidates.Lists, most int) *Round {
	r := &Round{lists: lists, most: most, longs: pages.Make[uint64](lists.N)}
	r.words[0], r.words[1] = pages.Make[uint32](lists.N*lists.K), pages.Make[uint32](lists.N)
	r.before, r.counts, r.next = r.words[0].Slice, r.words[1].Slice, r.longs.Slice
	r.makeRoom(lists.N*lists.K/enteredShare + lists.N)
	return r
}

func (r *Round) makeRoom(entries int) {
	if entries <= r.room {
		return
	}
	r.rows.Free()
	r.rows, r.room = pages.Make[uint32](entries), entries
	r.back = r.rows.Slice
}

// Free gives the memory back. The round is over.
func (r *Round) Free() {
	r.rows.Free()
	r.longs.Free()
	for i := range r.words {
		r.words[i].Free()
	}
}

// Begin freezes the lists, marks all their entries old, and counts for every place
// the rows that list it. Nobody may be offering to them. seed draws lots.
func (r *Round) Begin(seed uint64, threads int) error {
	r.seed, r.entered = seed, 0
	lists := r.lists
	clear(r.next)
	err := ranges(threads, lists.N, func(from, to int) {
		for p := from; p < to; p++ {
			row := r.frozen(uint32(p))
			n := lists.Freeze(uint32(p), row)
			for i := n; i < len(row); i++ {
				row[i] = none
			}
			r.touch(row[:n])
			for _, e := range row[:n] {
				atomic.AddUint64(&r.next[e>>1], 1)
			}
		}
	})
	r.sizes = [Parts]int{}
	for p, count := range r.next {
		r.counts[p] = uint32(count)
		r.sizes[Part(uint32(p))] += int(count)
	}
	return err
}

// Entered is the part after those whose places may be joined around: 0 when a round begins.
func (r *Round) Entered() int { return r.entered }

// Enter gathers, for every place of part from and of those after it, as far as there is
// room, the rows that list it. Nobody may be joining.
func (r *Round) Enter(from, threads int) error {
	to := r.reach(from)
	r.entered = to
	at := uint64(0)
	for p := range r.next {
		if part := Part(uint32(p)); part >= from && part < to {
			r.next[p] = at
			at += uint64(r.counts[p])
		}
	}
	return ranges(threads, r.lists.N, func(first, end int) {
		room, at := make([]uint32, r.lists.K), make([]uint64, r.lists.K)
		for p := first; p < end; p++ {
			here := within(filled(r.frozen(uint32(p))), from, to, room)
			r.touch(here)
			// An atomic addition waits for the stores before it: first all of
			// those, then the stores, which wait for memory side by side.
			for i, e := range here {
				at[i] = atomic.AddUint64(&r.next[e>>1], 1) - 1
			}
			for i, e := range here {
				r.back[at[i]] = uint32(p)<<1 | e&1
			}
		}
	})
}

// reach is up to which part, from one on, there is room. One part for which there is none
// gets more than plans know of: a quarter of all entries would have to name a handful of
// places that the lot put together.
func (r *Round) reach(from int) (to int) {
	all := r.sizes[from]
	r.makeRoom(all)
	for to = from + 1; to < Parts && all+r.sizes[to] <= r.room; to++ {
		all += r.sizes[to]
	}
	return to
}

// within picks the entries of a list whose places are in parts from to to-1. Which they
// are no processor guesses: it does not branch.
func within(list []uint32, from, to int, room []uint32) []uint32 {
	n, parts := 0, uint64(to-from)
	for _, e := range list {
		room[n] = e
		beyond := uint64(uint32(Part(e>>1) - from)) // far beyond where it comes before from
		n += int((beyond - parts) >> 63)
	}
	return room[:n]
}

// listing are the rows that list p, a place of the parts entered.
func (r *Round) listing(p uint32) []uint32 {
	end := r.next[p]
	return r.back[end-uint64(r.counts[p]) : end]
}

func ranges(threads, n int, fn func(from, to int)) error {
	return vectors.Ranges(threads, n, beginRows, func() func(from, to int) error {
		return func(from, to int) error {
			fn(from, to)
			return nil
		}
	})
}

// touch reads what is about to be added to: reads wait for memory side by side,
// atomic additions one after the other.
func (r *Round) touch(row []uint32) (sum uint64) {
	for _, e := range row {
		sum += atomic.LoadUint64(&r.next[e>>1])
	}
	return sum
}

// frozen is the list of p as it was when the round began: place<<1 | new, and
// none where there were fewer.
func (r *Round) frozen(p uint32) []uint32 {
	return r.before[int(p)*r.lists.K : (int(p)+1)*r.lists.K]
}

// filled cuts the empty end off.
func filled(row []uint32) []uint32 {
	n := len(row)
	for n > 0 && row[n-1] == none {
		n--
	}
	return row[:n]
}
