// Package candidates keeps, for every place, the nearest others by the distance
// of their codes: somewhat more of them than a graph has neighbors, so that the
// true ones can be picked by their exact keys in the end, and so that joins
// reach further.
//
// Like package knn it drops an entry only if it comes after the end of a full list in
// a total order, here (distance, place), so that the lists depend on which pairs
// were offered and on nothing else. Unlike there its lists may be offered to by
// several goroutines at once.
package candidates

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// An Entry is distance<<32 | place<<2 | marks: entries compare as numbers in the
// order of lists. An entry enters a list with all marks.
type Entry uint64

// The marks of an entry: joins around the place whose list it is in have not taken it, joins
// around the neighbor have not taken that place.
const (
	NewHere  = 2
	NewThere = 1

	Marks = 2 // how many there are
)

// none is an empty slot.
const none = ^uint64(0)

// Place is the neighbor of an entry.
func (e Entry) Place() uint32 { return uint32(e) >> 2 }

// Distance is the code distance.
func (e Entry) Distance() uint32 { return uint32(e >> 32) }

// Marks are the marks of the entry.
func (e Entry) Marks() uint32 { return uint32(e) & (NewHere | NewThere) }

// MaxPlaces bounds the places: an entry gives them 30 bits, of which all set stand for none.
const MaxPlaces = 1<<30 - 1

// Lists holds a list of at most K entries for each of N places.
type Lists struct {
	N, K    int
	memory  offheap.Block[uint64]
	entries []uint64        // N*K, and 8 that kernels may read
	bounds  []atomic.Uint32 // the distance of each list's last entry, or its limit; after the entries
	locks   *[1 << 12]sync.Mutex
}

// New returns empty lists: 8*n*k + 4*n bytes, to be freed. So many goroutines write
// them, as the memory comes with the first write to it.
func New(n, k, threads int) *Lists { return over(offheap.Make[uint64](words(n, k)), n, k, threads) }

// In is New in memory that a ledger gives.
func In(memory *offheap.Ledger, n, k, threads int) (*Lists, error) {
	block, err := offheap.Take[uint64](memory, words(n, k))
	if err != nil {
		return nil, err
	}
	return over(block, n, k, threads), nil
}

func words(n, k int) int { return n*k + 8 + (n+1)/2 }

func over(memory offheap.Block[uint64], n, k, threads int) *Lists {
	l := &Lists{N: n, K: k, memory: memory, locks: new([1 << 12]sync.Mutex)}
	l.entries = l.memory.Slice[:n*k+8]
	if n > 0 {
		l.bounds = unsafe.Slice((*atomic.Uint32)(unsafe.Pointer(&l.memory.Slice[n*k+8])), n)
	}
	l.Clear(threads)
	return l
}

// clearWords is how many words a goroutine clears at a time: some huge pages.
const clearWords = 1 << 20

// Clear empties all lists and forgets their limits: all bits are set, as in none and in the
// largest distance. Nobody may be offering to them.
func (l *Lists) Clear(threads int) {
	words := l.memory.Slice
	_ = vectors.Apart(threads, len(words), clearWords, func() func(from, to int) error {
		return func(from, to int) error { // which does not fail
			for i := range words[from:to] {
				words[from+i] = none
			}
			return nil
		}
	})
}

// Words is the memory of the lists, 2*K words for each place, for those who are
// done with them and write something else there, place by place.
func (l *Lists) Words() []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(l.entries))), 2*l.N*l.K)
}

// Free gives the memory back. The lists are gone.
func (l *Lists) Free() {
	l.entries, l.bounds = nil, nil
	l.memory.Free()
}

// Bound is a distance beyond which nothing enters the list of place. It only
// shrinks, so one read before an offer is good, if not the best.
func (l *Lists) Bound(place uint32) uint32 { return l.bounds[place].Load() }

// Limit sets a bound on the list of place before anything is offered to it: who asks
// for Bound need not offer entries beyond it.
func (l *Lists) Limit(place, distance uint32) { l.bounds[place].Store(distance) }

func (l *Lists) list(place uint32) []uint64 {
	at := int(place) * l.K
	return l.entries[at : at+l.K]
}

// lock is the lock of some places that follow each other. Goroutines that stay apart then
// do not take locks' memory from each other.
func (l *Lists) lock(place uint32) *sync.Mutex { return &l.locks[int(place/16)%len(l.locks)] }

// Offer shows candidates, none of them twice, to the list of place. Most change nothing at
// its end, and then its bound is left alone, which lies elsewhere in memory.
func (l *Lists) Offer(t *codes.Tile, place uint32, distances, ids []uint32) {
	l.OfferAt(t, place, place, distances, ids)
}

// OfferAt is Offer to list number at, where the lists are not those of all places: that of place.
func (l *Lists) OfferAt(t *codes.Tile, at, place uint32, distances, ids []uint32) {
	list := l.list(at)
	if !t.Enters(list, distances, ids, place) {
		return
	}
	lock := l.lock(at)
	lock.Lock()
	before := list[l.K-1]
	t.Merge(list, distances, ids, place)
	if last := list[l.K-1]; last != before && uint32(last>>32) < l.bounds[at].Load() {
		l.bounds[at].Store(uint32(last >> 32))
	}
	lock.Unlock()
}

// Expect asks for the memory of lists that will be offered to, of many at a time.
func (l *Lists) Expect(t *codes.Tile, places []uint32) {
	t.Prefetch(l.bytes(), 8*l.K, places, 8*l.K)
}

// offersAhead is how many lists are on their way while one is offered to: some 24 lines of
// memory. Of 4, 8 and 16 none was better on Zen 4.
const offersAhead = 8

// Next asks, for who offers to the lists of places one after the other and comes to number i
// now, for a list that comes soon: at the first place for all up to that one.
func (l *Lists) Next(t *codes.Tile, places []uint32, i int) {
	from, to := min(i+offersAhead, len(places)), min(i+offersAhead+1, len(places))
	if i == 0 {
		from = 0
	}
	t.PrefetchFew(l.bytes(), 8*l.K, places[from:to], 8*l.K)
}

func (l *Lists) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(l.entries))), 8*len(l.entries))
}

// ExpectBounds asks for the bounds of places that will be asked for soon.
func (l *Lists) ExpectBounds(t *codes.Tile, places []uint32) {
	memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(l.bounds))), 4*len(l.bounds))
	t.Prefetch(memory, 4, places, 4)
}

// Len is how many entries the list of place has. Nobody may be offering to it.
func (l *Lists) Len(place uint32) int {
	n := l.K
	for list := l.list(place); n > 0 && list[n-1] == none; n-- {
	}
	return n
}

// At is entry i of the list of place. Nobody may be offering to it.
func (l *Lists) At(place uint32, i int) Entry { return Entry(l.entries[int(place)*l.K+i]) }

// Entries are the entries of the list of place themselves, to take marks off: as many as the
// list has, without empty slots. Nobody may be offering to it.
func (l *Lists) Entries(place uint32) []Entry {
	list := l.list(place)[:l.Len(place)]
	return unsafe.Slice((*Entry)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// Slots are the slots of the lists of places first to end-1, K each; the places in empty ones are MaxPlaces. Nobody
// may be offering to the lists.
func (l *Lists) Slots(first, end int) []Entry {
	slots := l.entries[first*l.K : end*l.K]
	return unsafe.Slice((*Entry)(unsafe.Pointer(unsafe.SliceData(slots))), len(slots))
}

// Dealt picks the entries of slots whose places are of some parts; see [codes.Dealt].
func Dealt(slots []Entry, from, parts, n int, numbers, places []uint32) int {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(slots))), len(slots))
	return codes.Dealt(words, from, parts, n, numbers, places)
}

// Set makes entries, which ascend, the list of place.
func (l *Lists) Set(place uint32, entries []Entry) {
	list := l.list(place)
	for i := range list {
		list[i] = none
		if i < len(entries) {
			list[i] = uint64(entries[i])
		}
	}
	l.bounds[place].Store(uint32(list[l.K-1] >> 32))
}

// MakeEntry is the entry of a neighbor, with marks.
func MakeEntry(distance, place, marks uint32) Entry {
	return Entry(distance)<<32 | Entry(place)<<2 | Entry(marks)
}
