// Package candidates keeps, for every place, the nearest others by the distance of their codes: somewhat more
// than a graph has neighbors, so that exact keys can pick the true ones at the end, and joins reach further.
//
// Like package knn it drops an entry only if it comes after the end of a full list in a total order, here
// (distance, place), so the lists depend only on which pairs were offered. Unlike there, several goroutines
// may offer to its lists at the same time.
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

// The marks of an entry: joins around the place that owns the list have not taken it, and joins around the
// neighbor have not taken that place.
const (
	NewHere  = 2
	NewThere = 1

	Marks = 2 // number of marks
)

// none is an empty slot.
const none = ^uint64(0)

// Place returns the neighbor of an entry.
func (e Entry) Place() uint32 { return uint32(e) >> 2 }

// Distance returns the code distance.
func (e Entry) Distance() uint32 { return uint32(e >> 32) }

// Marks returns the marks of the entry.
func (e Entry) Marks() uint32 { return uint32(e) & (NewHere | NewThere) }

// MaxPlaces limits the places: an entry gives them 30 bits, and all bits set means none.
const MaxPlaces = 1<<30 - 1

// Lists holds a list of at most K entries for each of N places.
type Lists struct {
	N, K    int
	memory  offheap.Block[uint64]
	entries []uint64        // N*K, and 8 more that kernels may read
	bounds  []atomic.Uint32 // the distance of each list's last entry, or its limit; after the entries
	locks   *[1 << 12]sync.Mutex
}

// New returns empty lists of 8*n*k + 4*n bytes, which the caller frees. So many goroutines write to them,
// since the first write allocates the memory.
func New(n, k, threads int) *Lists { return over(offheap.Make[uint64](words(n, k)), n, k, threads) }

// In is New in memory from a ledger.
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

// Words returns the memory of the lists, 2*K words for each place, for callers that overwrite the lists place
// by place.
func (l *Lists) Words() []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(l.entries))), 2*l.N*l.K)
}

// Free frees the memory of the lists, which may not be used afterwards.
func (l *Lists) Free() {
	l.entries, l.bounds = nil, nil
	l.memory.Free()
}

// Bound returns a distance beyond which nothing enters the list of place. It only shrinks, so a value read
// before an offer is valid, if not the best.
func (l *Lists) Bound(place uint32) uint32 { return l.bounds[place].Load() }

// Limit sets a bound on the list of place before anything is offered to it; callers need not offer entries
// beyond Bound.
func (l *Lists) Limit(place, distance uint32) { l.bounds[place].Store(distance) }

func (l *Lists) list(place uint32) []uint64 {
	at := int(place) * l.K
	return l.entries[at : at+l.K]
}

// lock returns the lock of some consecutive places. Goroutines that work far apart then do not share a lock's
// memory.
func (l *Lists) lock(place uint32) *sync.Mutex { return &l.locks[int(place/16)%len(l.locks)] }

// Offer offers candidates, none of them twice, to the list of place. Most do not change the end of the list;
// then Offer does not write the bound, which is elsewhere in memory.
func (l *Lists) Offer(t *codes.Tile, place uint32, distances, ids []uint32) {
	l.OfferAt(t, place, place, distances, ids)
}

// OfferAt is Offer to list number at, for lists that are not of all places; it is the list of place.
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

// Expect prefetches lists that will be offered to, many at a time.
func (l *Lists) Expect(t *codes.Tile, places []uint32) {
	t.Prefetch(l.bytes(), 8*l.K, places, 8*l.K)
}

// offersAhead is the number of lists that are prefetched while one is offered to: about 24 lines of memory.
// 4, 8 and 16 were equal on Zen 4.
const offersAhead = 8

// Next prefetches a list that comes soon, for a caller that offers to the lists of places in turn and is at
// number i; at the first place it prefetches all lists up to that one.
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

// ExpectBounds prefetches the bounds of places.
func (l *Lists) ExpectBounds(t *codes.Tile, places []uint32) {
	memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(l.bounds))), 4*len(l.bounds))
	t.Prefetch(memory, 4, places, 4)
}

// Len returns the number of entries in the list of place. Nobody may be offering to it.
func (l *Lists) Len(place uint32) int {
	n := l.K
	for list := l.list(place); n > 0 && list[n-1] == none; n-- {
	}
	return n
}

// At returns entry i of the list of place. Nobody may be offering to it.
func (l *Lists) At(place uint32, i int) Entry { return Entry(l.entries[int(place)*l.K+i]) }

// Entries returns the entries of the list of place in its own memory, so that marks can be removed, without
// empty slots. Nobody may be offering to it.
func (l *Lists) Entries(place uint32) []Entry {
	list := l.list(place)[:l.Len(place)]
	return unsafe.Slice((*Entry)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}

// Slots returns the slots of the lists of places first to end-1, K each; the places in empty ones are
// MaxPlaces. Nobody may be offering to the lists.
func (l *Lists) Slots(first, end int) []Entry {
	slots := l.entries[first*l.K : end*l.K]
	return unsafe.Slice((*Entry)(unsafe.Pointer(unsafe.SliceData(slots))), len(slots))
}

// Dealt returns the entries of slots whose places are of some parts; see [codes.Dealt].
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

// MakeEntry returns the entry of a neighbor, with marks.
func MakeEntry(distance, place, marks uint32) Entry {
	return Entry(distance)<<32 | Entry(place)<<2 | Entry(marks)
}
