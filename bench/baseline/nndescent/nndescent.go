// Package nndescent is Dong, Moses, Li 2011, "Efficient k-nearest neighbor graph
// construction for generic similarity measures", WWW, section 2: lists of random
// rows, improved by comparing the neighbors of a row with each other, new ones with
// new and old ones, in both directions of the graph, until few lists change.
//
// The paper leaves open, or we settled otherwise:
//   - Its K is the length of the graph's lists. Lists of one never improve; here
//     lists may be longer than k while the graph is built, which is its main
//     parameter in practice.
//   - A sample of new neighbors is drawn by going through the list in order and
//     casting lots; a reverse list beyond its limit keeps a random sample.
package nndescent

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/bench/baseline"
)

// Builder holds the parameters.
type Builder struct {
	Length int     // entries of a list while the graph is built, at least k; 20
	Rho    float64 // share of the new entries that are joined in a round; 0.5
	Delta  float64 // rounds end when less than this share of all entries changes; 0.001
	Rounds int     // at most; 50
}

// walk is one build.
type walk struct {
	Builder
	x    *baseline.Points
	rng  *rand.Rand
	list [][]entry // sorted by key, row

	joined   [][]uint32 // new entries to join, of every row
	old      [][]uint32
	backNew  [][]uint32
	backOld  [][]uint32
	keys     []float32
	ids      []uint32
	rounds   int
	accepted int
}

// entry is a neighbor; fresh until it has been joined.
type entry struct {
	key   float32
	id    uint32
	fresh bool
}

// Build returns approximate lists.
func (s Builder) Build(ctx context.Context, p *baseline.Problem) (*baseline.Graph, error) {
	if s.Length == 0 {
		s.Length = 20
	}
	if s.Rho == 0 {
		s.Rho = 0.5
	}
	if s.Delta == 0 {
		s.Delta = 0.001
	}
	if s.Rounds == 0 {
		s.Rounds = 50
	}
	x, err := baseline.NewPoints(p)
	if err != nil {
		return nil, err
	}
	n := x.Len()
	s.Length = min(max(s.Length, p.K), n-1)
	w := &walk{Builder: s, x: x, rng: rand.New(rand.NewPCG(p.Seed, 5)), list: make([][]entry, n)}
	if s.Length > 0 {
		if err := w.descend(ctx); err != nil {
			return nil, err
		}
	}
	lists := baseline.NewLists(p)
	for row, list := range w.list {
		for _, e := range list {
			lists.Offer(uint32(row), e.id, e.key)
		}
	}
	return &baseline.Graph{Lists: lists, Comparisons: x.Compared, Detail: map[string]float64{"rounds": float64(w.rounds)}}, nil
}

// descend draws the first lists and improves them round by round.
func (w *walk) descend(ctx context.Context) error {
	n := len(w.list)
	w.joined, w.old = make([][]uint32, n), make([][]uint32, n)
	w.backNew, w.backOld = make([][]uint32, n), make([][]uint32, n)
	for row := range uint32(n) {
		w.first(row)
	}
	for w.rounds < w.Rounds {
		w.rounds++
		w.sample()
		w.accepted = 0
		for row := range uint32(n) {
			w.join(row)
			if row%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if float64(w.accepted) < w.Delta*float64(n*w.Length) {
			break
		}
	}
	return nil
}

// first fills a list with random rows.
func (w *walk) first(row uint32) {
	w.ids = w.ids[:0]
	for len(w.ids) < w.Length {
		id := uint32(w.rng.IntN(len(w.list)))
		if id != row && !slices.Contains(w.ids, id) {
			w.ids = append(w.ids, id)
		}
	}
	w.compare(row, w.ids)
	w.list[row] = make([]entry, 0, w.Length)
	for i, id := range w.ids {
		w.insert(row, id, w.keys[i])
	}
}

func (w *walk) compare(row uint32, ids []uint32) {
	w.keys = slices.Grow(w.keys[:0], len(ids))[:len(ids)]
	w.x.Keys(row, ids, w.keys)
}

// insert puts a neighbor into a list if it belongs there and is not there yet.
func (w *walk) insert(row, id uint32, key float32) bool {
	list := w.list[row]
	if len(list) == w.Length {
		if last := list[len(list)-1]; key > last.key || key == last.key && id >= last.id {
			return false
		}
	}
	at, found := slices.BinarySearchFunc(list, entry{key: key, id: id}, before)
	if found {
		return false
	}
	if len(list) < w.Length {
		list = append(list, entry{})
	}
	copy(list[at+1:], list[at:])
	list[at] = entry{key, id, true}
	w.list[row] = list
	return true
}

func before(a, b entry) int {
	switch {
	case a.key < b.key || a.key == b.key && a.id < b.id:
		return -1
	case a.key == b.key && a.id == b.id:
		return 0
	}
	return 1
}

// sample draws the neighbors that each row joins in a round, and reverses them.
func (w *walk) sample() {
	limit := int(math.Ceil(w.Rho * float64(w.Length)))
	for row := range w.list {
		w.joined[row], w.old[row] = w.joined[row][:0], w.old[row][:0]
		w.backNew[row], w.backOld[row] = w.backNew[row][:0], w.backOld[row][:0]
		fresh := 0
		for _, e := range w.list[row] {
			if e.fresh {
				fresh++
			}
		}
		left := min(limit, fresh)
		for i := range w.list[row] {
			e := &w.list[row][i]
			switch {
			case !e.fresh:
				w.old[row] = append(w.old[row], e.id)
			case w.rng.IntN(fresh) < left:
				w.joined[row] = append(w.joined[row], e.id)
				e.fresh = false
				left--
				fresh--
			default:
				fresh--
			}
		}
	}
	w.reverse(w.joined, w.backNew, limit)
	w.reverse(w.old, w.backOld, limit)
}

// reverse collects who lists whom, a sample of at most limit for each.
func (w *walk) reverse(from, to [][]uint32, limit int) {
	met := make([]int, len(to))
	for row, ids := range from {
		for _, id := range ids {
			met[id]++
			if len(to[id]) < limit {
				to[id] = append(to[id], uint32(row))
			} else if at := w.rng.IntN(met[id]); at < limit {
				to[id][at] = uint32(row)
			}
		}
	}
}

// join compares the neighbors of a row with each other.
func (w *walk) join(row uint32) {
	fresh := merged(w.joined[row], w.backNew[row])
	old := merged(w.old[row], w.backOld[row])
	for i, a := range fresh {
		w.ids = append(w.ids[:0], fresh[i+1:]...)
		for _, b := range old {
			if b != a {
				w.ids = append(w.ids, b)
			}
		}
		w.compare(a, w.ids)
		for j, b := range w.ids {
			if w.insert(a, b, w.keys[j]) {
				w.accepted++
			}
			if w.insert(b, a, w.keys[j]) {
				w.accepted++
			}
		}
	}
}

// merged is the union of two lists, ascending.
func merged(a, b []uint32) []uint32 {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
