package recall

import (
	"sync"

	"github.com/knng/knng/builder/knn"
)

// Lists are the exact lists of sampled places.
type Lists struct {
	Places []uint32 // as given to the search
	K      int      // the longest that a list can be
	Alike  float32  // keys up to it count as equal, see distance.Metric.Alike; 0: none do

	lists *knn.Lists // list i is that of Places[i]
	locks []sync.Mutex

	groups *Groups // nil: every row was solved
	selfs  []float32
}

func newLists(places []uint32, k int, rowOf []uint32) *Lists {
	m := len(places)
	l := &Lists{Places: places, K: k, lists: knn.Over(make([]uint32, 2*m*k), m, k, 2*k, rowOf), locks: make([]sync.Mutex, m)}
	for i := range places {
		l.lists.Set(uint32(i), nil, nil)
	}
	return l
}

// ListsOf makes Lists of lists found elsewhere: list(i) is that of places[i], ascending
// by (key, row), at most k long.
func ListsOf(places []uint32, k int, list func(i int) (ids []uint32, keys []float32)) *Lists {
	l := newLists(places, k, nil)
	for i := range places {
		ids, keys := list(i)
		l.lists.Set(uint32(i), ids, keys)
	}
	return l
}

// List returns the neighbors of Places[i], as places, and their keys, ascending
// by (key, row). The slices point into l.
func (l *Lists) List(i int) (neighbors []uint32, keys []float32) {
	return l.lists.List(uint32(i))
}

// Recall returns the recall, as OfList defines it, of another graph's list for Places[i]. Rows alike to
// the k-th neighbor count like it. See InGroups for lists that were solved for several rows.
func (l *Lists) Recall(i int, neighbors []uint32, keys []float32) float64 {
	if l.groups != nil {
		return l.recallOfGroup(i, neighbors, keys)
	}
	return l.RecallOf(i, neighbors, keys, l.Places[i])
}

// RecallOf is Recall for neighbors that are not places but other numbers: self is that of Places[i].
func (l *Lists) RecallOf(i int, neighbors []uint32, keys []float32, self uint32) float64 {
	_, truth := l.List(i)
	return OfAlike(truth, neighbors, keys, self, l.K, l.Alike)
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
	list := uint32(i)
	worst := l.lists.Worst(list)
	for j, key := range keys {
		if key <= worst && ids[j] != l.Places[i] {
			l.lists.Offer(list, ids[j], key)
			worst = l.lists.Worst(list)
		}
	}
}
