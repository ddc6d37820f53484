package recall

import (
	"math"
	"sync"
)

// Lists are the exact lists of sampled places.
type Lists struct {
	Places []uint32 // as given to the search
	K      int      // the longest that a list can be

	rowOf  []uint32
	counts []int32
	ids    []uint32  // len(Places)*K places
	keys   []float32 // beside ids
	locks  []sync.Mutex
}

func newLists(places []uint32, k int, rowOf []uint32) *Lists {
	m := len(places)
	return &Lists{
		Places: places, K: k, rowOf: rowOf,
		counts: make([]int32, m), ids: make([]uint32, m*k), keys: make([]float32, m*k), locks: make([]sync.Mutex, m),
	}
}

// ListsOf makes Lists of lists found elsewhere: list(i) is that of places[i], ascending
// by (key, row), at most k long.
func ListsOf(places []uint32, k int, list func(i int) (ids []uint32, keys []float32)) *Lists {
	l := newLists(places, k, nil)
	for i := range places {
		ids, keys := list(i)
		l.counts[i] = int32(copy(l.ids[i*k:(i+1)*k], ids))
		copy(l.keys[i*k:(i+1)*k], keys)
	}
	return l
}

// List returns the neighbors of Places[i], as places, and their keys, ascending
// by (key, row). The slices point into l.
func (l *Lists) List(i int) (neighbors []uint32, keys []float32) {
	at := i * l.K
	to := at + int(l.counts[i])
	return l.ids[at:to:to], l.keys[at:to:to]
}

// Recall is the recall, as OfList defines it, of a list that another graph has
// for Places[i].
func (l *Lists) Recall(i int, neighbors []uint32, keys []float32) float64 {
	_, truth := l.List(i)
	return OfList(truth, neighbors, keys, l.Places[i], l.K)
}

// offer shows candidates to list i. Several goroutines may offer to one list:
// the order is total, so the list does not depend on who came first. A lock is
// taken once for a block of candidates, of which few enter.
func (l *Lists) offer(i int, ids []uint32, keys []float32) {
	if l.K == 0 {
		return
	}
	l.locks[i].Lock()
	defer l.locks[i].Unlock()
	worst := l.worst(i)
	for j, key := range keys {
		if key <= worst && ids[j] != l.Places[i] {
			l.insert(i, ids[j], key)
			worst = l.worst(i)
		}
	}
}

// worst is the key above which nothing enters list i.
func (l *Lists) worst(i int) float32 {
	if int(l.counts[i]) < l.K {
		return float32(math.Inf(1))
	}
	return l.keys[(i+1)*l.K-1]
}

// insert puts a candidate where (key, row) says, and drops the last of a full
// list for it.
func (l *Lists) insert(i int, id uint32, key float32) {
	at := i * l.K
	ids, keys := l.ids[at:at+l.K], l.keys[at:at+l.K]
	n := int(l.counts[i])
	if n == l.K {
		if !l.before(id, key, ids[n-1], keys[n-1]) {
			return
		}
		n--
	}
	p := n
	for ; p > 0 && l.before(id, key, ids[p-1], keys[p-1]); p-- {
		ids[p], keys[p] = ids[p-1], keys[p-1]
	}
	ids[p], keys[p] = id, key
	l.counts[i] = int32(n + 1)
}

func (l *Lists) before(a uint32, keyA float32, b uint32, keyB float32) bool {
	if keyA != keyB {
		return keyA < keyB
	}
	if l.rowOf == nil {
		return a < b
	}
	return l.rowOf[a] < l.rowOf[b]
}
