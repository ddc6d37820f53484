// Package knn is the bounded list of neighbors: the k nearest of all rows that a place has been
// offered, ascending by (key, row). Of the lists of divisions it makes the union that Wang et
// al., "Scalable k-NN graph construction", describe in section "Multiple random
// divide-and-conquer".
//
// A union is commutative, associative and idempotent: the lists depend on which
// pairs were offered, never on order, threads or repetition. Two things make it
// so. The order is total, (key, row); and a list drops only entries after
// its last one in that order.
//
// [Lists] holds the lists, a [Snapshot] finds the entries that some lists have gained, a [Merger]
// offers whole lists. Nearly all lists with keys are of this type: those of builds, of leaves, and the
// exact ones of package recall. Three others differ for a reason. An entry of builder/internal/candidates
// is one word of code distance, place and marks, so that vector kernels merge entries as numbers.
// store.Lists is a block of finished lists of any lengths, for the disk; it keeps no bound. Walks over a
// graph (store/internal/walk.Nearest) keep a heap, sorted once when a query ends, since they hold hundreds
// of entries and never offer one twice.
package knn

import (
	"math"
	"unsafe"

	"github.com/knng/knng/builder/internal/offheap"
)

// None marks an empty slot of a list. Its key is +Inf.
const None = math.MaxUint32

// Lists holds a list of at most K neighbors for each of N places, sorted by
// (key, row). Different places may be written by different goroutines; one
// place by one at a time.
type Lists struct {
	N, K   int
	stride int // words from one list to the next
	memory offheap.Block[uint32]
	ids    []uint32  // list p begins at p*stride: K places
	keys   []float32 // and their keys
	rowOf  []uint32  // rowOf[place] = row, nil for the identity; decides ties
}

// New returns empty lists: 8*n*k bytes, to be freed.
func New(n, k int, rowOf []uint32) *Lists {
	memory := offheap.Make[uint32](2 * n * k)
	l := Over(memory.Slice, n, k, 2*k, rowOf)
	l.memory = memory
	for p := range uint32(n) {
		l.Set(p, nil, nil)
	}
	return l
}

// Over returns lists in the caller's memory: list p takes words[p*stride:(p+1)*stride], and stride is
// at least 2*k. A list is undefined until it is Set.
func Over(words []uint32, n, k, stride int, rowOf []uint32) *Lists {
	l := &Lists{N: n, K: k, stride: stride, ids: words, rowOf: rowOf}
	if len(words) > 0 {
		l.keys = unsafe.Slice((*float32)(unsafe.Pointer(&words[0])), len(words))[k:]
	}
	return l
}

// Free gives the memory of New back. The lists are gone.
func (l *Lists) Free() {
	l.ids, l.keys = nil, nil
	l.memory.Free()
}

// Clone returns a copy, to be freed.
func (l *Lists) Clone() *Lists {
	c := New(l.N, l.K, l.rowOf)
	for p := range uint32(l.N) {
		c.Set(p, l.idsOf(p), l.keysOf(p))
	}
	return c
}

func (l *Lists) idsOf(place uint32) []uint32 {
	at := int(place) * l.stride
	return l.ids[at : at+l.K]
}

func (l *Lists) keysOf(place uint32) []float32 {
	at := int(place) * l.stride
	return l.keys[at : at+l.K]
}

// List returns the neighbors of place and their keys. The slices point into l.
func (l *Lists) List(place uint32) (ids []uint32, keys []float32) {
	ids, keys = l.idsOf(place), l.keysOf(place)
	n := l.K
	for n > 0 && ids[n-1] == None {
		n--
	}
	return ids[:n], keys[:n]
}

// Touch loads some lists into the cache, with reads that wait for memory side by side. Callers that read
// lists from all over memory save time by touching some tens of them first. The sum only keeps the compiler
// from removing the reads.
//
//go:noinline
func (l *Lists) Touch(places []uint32) (sum uint32) {
	const line = 64 / 4
	for _, p := range places {
		list := l.ids[int(p)*l.stride:][:2*l.K]
		for at := 0; at < len(list); at += line {
			sum += list[at]
		}
		sum += list[len(list)-1]
	}
	return sum
}

// Worst is the last key of a full list and +Inf for one with room: a candidate
// with a larger key cannot enter.
func (l *Lists) Worst(place uint32) float32 { return l.keys[int(place)*l.stride+l.K-1] }

// Last is the last entry of a full list and None of one with room.
func (l *Lists) Last(place uint32) uint32 { return l.ids[int(place)*l.stride+l.K-1] }

// before reports whether (key, id) comes before (key2, id2).
func (l *Lists) before(key float32, id uint32, key2 float32, id2 uint32) bool {
	if key != key2 {
		return key < key2
	}
	if l.rowOf == nil || id == None || id2 == None {
		return id < id2
	}
	return l.rowOf[id] < l.rowOf[id2]
}

// Offer puts id with its key into the list of place if it belongs there, and
// reports whether it did. An id already there is not added twice: a pair has
// one key, so it is met exactly where it would be inserted.
func (l *Lists) Offer(place, id uint32, key float32) bool {
	keys, ids := l.keysOf(place), l.idsOf(place)
	last := l.K - 1
	if !l.before(key, id, keys[last], ids[last]) {
		return false
	}
	lo := insertion(keys, key)
	for lo < last && keys[lo] == key && l.before(keys[lo], ids[lo], key, id) {
		lo++
	}
	if ids[lo] == id {
		return false
	}
	copy(keys[lo+1:], keys[lo:last])
	copy(ids[lo+1:], ids[lo:last])
	keys[lo], ids[lo] = key, id
	return true
}

// A Merger offers whole lists: one per goroutine.
type Merger struct {
	ids  []uint32
	keys []float32
}

// Merge offers ids with their keys, distinct and ascending by (key, row), to the list of place. It walks
// along both lists once, which is faster than inserting one entry after another.
func (m *Merger) Merge(l *Lists, place uint32, ids []uint32, keys []float32) {
	toIDs, toKeys := l.idsOf(place), l.keysOf(place)
	if len(ids) == 0 || !l.before(keys[0], ids[0], toKeys[l.K-1], toIDs[l.K-1]) {
		return
	}
	at := 0
	for l.before(toKeys[at], toIDs[at], keys[0], ids[0]) {
		at++
	}
	m.ids, m.keys = append(m.ids[:0], toIDs[at:]...), append(m.keys[:0], toKeys[at:]...)
	toIDs, toKeys = toIDs[at:], toKeys[at:]
	old, next := 0, 0
	for to := range toIDs {
		if next == len(ids) {
			copy(toIDs[to:], m.ids[old:])
			copy(toKeys[to:], m.keys[old:])
			return
		}
		switch id, key := m.ids[old], m.keys[old]; {
		case id == ids[next]:
			toIDs[to], toKeys[to] = id, key
			old, next = old+1, next+1
		case l.before(key, id, keys[next], ids[next]):
			toIDs[to], toKeys[to] = id, key
			old++
		default:
			toIDs[to], toKeys[to] = ids[next], keys[next]
			next++
		}
	}
}

// insertion returns the first position whose key is not below key.
func insertion(keys []float32, key float32) int {
	lo, hi := 0, len(keys)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if keys[mid] < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Set replaces the list of place by ids and their keys, which ascend by (key, row).
func (l *Lists) Set(place uint32, ids []uint32, keys []float32) {
	toIDs, toKeys := l.idsOf(place), l.keysOf(place)
	for i := copy(toIDs, ids); i < l.K; i++ {
		toIDs[i] = None
	}
	inf := float32(math.Inf(1))
	for i := copy(toKeys, keys); i < l.K; i++ {
		toKeys[i] = inf
	}
}

// OfferBoth offers each pair (places[i], places[j]) for the j of js, with the
// keys beside them, to both ends.
func (l *Lists) OfferBoth(places []uint32, i int, js []uint32, keys []float32) {
	x := places[i]
	worst := l.Worst(x)
	for n, j := range js {
		key, y := keys[n], places[j]
		if key <= worst && l.Offer(x, y, key) {
			worst = l.Worst(x)
		}
		if key <= l.Worst(y) {
			l.Offer(y, x, key)
		}
	}
}

// OfferOne offers the places[j] to places[i] only.
func (l *Lists) OfferOne(places []uint32, i int, js []uint32, keys []float32) {
	x := places[i]
	worst := l.Worst(x)
	for n, j := range js {
		if keys[n] <= worst && l.Offer(x, places[j], keys[n]) {
			worst = l.Worst(x)
		}
	}
}

// Short calls fn for every place whose list has fewer than want entries.
func (l *Lists) Short(want int, fn func(place uint32)) {
	for p := range uint32(l.N) {
		if l.idsOf(p)[want-1] == None {
			fn(p)
		}
	}
}
