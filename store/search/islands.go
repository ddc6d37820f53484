package search

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// A leader is a place that walks may begin at, and the first place of its island.
type leader struct{ island, place uint32 }

func compareLeaders(a, b leader) int {
	return cmp.Or(cmp.Compare(a.island, b.island), cmp.Compare(a.place, b.place))
}

// drawLeaders draws the leaders, by island and place. Some are any rows, as many others are
// far from all before them; and every island of rows that links connect has one, its first
// place, as long as there are not very many: a walk cannot come to an island by itself, and
// hardly to rows that few links lead to.
func (m *maker) drawLeaders(far func(seen map[uint32]bool, sample []uint32, count int)) ([]leader, error) {
	islandOf, firsts, err := m.islands()
	if err != nil {
		return nil, err
	}
	seen := make(map[uint32]bool, m.identity.leaders)
	rng := rand.New(rand.NewPCG(m.seed, 0x6c656164))
	draw := func() uint32 { return uint32(rng.Uint64N(uint64(m.identity.places))) }
	for len(seen) < (m.identity.leaders+1)/2 {
		seen[draw()] = true
	}
	sample := make([]uint32, farOf*m.identity.leaders)
	for i := range sample {
		sample[i] = draw()
	}
	far(seen, sample, m.identity.leaders/2)
	for _, first := range firsts[:min(len(firsts), ledIslands(m.identity.leaders))] {
		seen[first] = true
	}
	drawn := make([]leader, 0, len(seen))
	for p := range seen {
		drawn = append(drawn, leader{islandOf(p), p})
	}
	slices.SortFunc(drawn, compareLeaders)
	return drawn, nil
}

// farOf is how many rows are looked at for a leader that is far from others.
const farOf = 8

// far adds rows of a sample to those that are in seen, each time the one that is furthest from
// all of these. The rows of the sample are copied side by side first: each is compared some
// hundred times, and where memory is short each time would read it from disk, with as much
// beside it as the system reads ahead.
func (s *Searcher) far(norms []float64) func(seen map[uint32]bool, sample []uint32, count int) {
	return func(seen map[uint32]bool, sample []uint32, count int) {
		if len(sample) == 0 || s.space.Metric() == distance.IP { // under which nothing is far
			return
		}
		_ = s.advise(vectors.Random) // a hint
		defer s.advise(vectors.Normal)
		near := s.copied(norms, sample)
		take := func(p uint32) {
			norm := 0.0
			if norms != nil {
				norm = norms[p]
			}
			near.take(s.space, s.rows.Row(int(p)), norm)
		}
		for _, p := range slices.Sorted(maps.Keys(seen)) {
			take(p)
		}
		for range count {
			p := sample[near.furthest(sample)]
			if seen[p] {
				return
			}
			seen[p] = true
			take(p)
		}
	}
}

// A nearness holds a sample's rows, and the key of each to the nearest row that was taken.
type nearness struct {
	rows    []byte
	norms   []float64 // nil: the metric needs none
	places  []uint32  // 0, 1, 2 ...: of rows
	keys    []float32
	nearest []float32
}

func (s *Searcher) copied(norms []float64, sample []uint32) *nearness {
	n := &nearness{places: make([]uint32, len(sample)), keys: make([]float32, len(sample)), nearest: slices.Repeat([]float32{float32(math.Inf(1))}, len(sample))}
	n.rows = make([]byte, 0, len(sample)*s.space.RowBytes())
	for i, p := range sample {
		n.rows = append(n.rows, s.rows.Row(int(p))...)
		n.places[i] = uint32(i)
		if norms != nil {
			n.norms = append(n.norms, norms[p])
		}
	}
	return n
}

func (n *nearness) take(space *distance.Space, row []byte, norm float64) {
	space.Keys(row, norm, n.rows, space.RowBytes(), n.norms, n.places, n.keys)
	for i, key := range n.keys {
		n.nearest[i] = min(n.nearest[i], key)
	}
}

// furthest is the row of the sample that is furthest from all that were taken; of equal ones
// the first in the store.
func (n *nearness) furthest(sample []uint32) int {
	best := 0
	for i, key := range n.nearest {
		if key > n.nearest[best] || key == n.nearest[best] && sample[i] < sample[best] {
			best = i
		}
	}
	return best
}

// minIslands is a number of islands that may always have a leader each.
const minIslands = 256

// islands finds the connected components: the first place of that of a place, and the first
// places of all, the largest component first.
func (m *maker) islands() (of func(uint32) uint32, firsts []uint32, err error) {
	u := m.united
	if u == nil {
		u = newUnion(m.identity.places)
		each, _, _ := m.stepsOf()
		take := func(place int, list []uint32) error { u.unite(uint32(place), list); return nil }
		err = m.eachList(func() func(int, []uint32) error { return take }, func(places int) { m.tell(each * places) })
		if err != nil {
			return nil, nil, err
		}
	}
	return u.first, u.firsts(), nil
}

// firsts are the first places of all components, the largest component first.
func (u union) firsts() []uint32 {
	sizes := make(map[uint32]int)
	for p := range u {
		sizes[u.first(uint32(p))]++
	}
	firsts := make([]uint32, 0, len(sizes))
	for first := range sizes {
		firsts = append(firsts, first)
	}
	slices.SortFunc(firsts, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
	return firsts
}

// ledIslands is how many islands have a leader in the file of links, where so many leaders are drawn of all rows.
func ledIslands(drawn int) int { return max(minIslands, 3*drawn) }

// mostIslands times the root of all rows is how many islands have a leader where memory holds all: each costs every query a
// comparison, and rows of an island without one are hardly found. Of 20,000 rows in 1,000 groups of 20, 384 with leaders find 0.45.
const mostIslands = 16

// An islander finds the islands of the graph of a searcher.
type islander struct{ *Searcher }

// lead gives leaders to islands that have none in the file of links, as far as memory holds rows and links. There are
// such islands only where as many have leaders as the file takes.
func (s islander) lead() error {
	l, n := s.links, s.Len()
	led := make(map[uint32]bool)
	for _, leader := range l.leaders {
		led[leader.island] = true
	}
	if s.state.Islands = len(led); len(led) < ledIslands(anyLeaders(n)) {
		return nil
	}
	if s.state.Unled = true; !inMemory(s.Searcher) {
		return nil
	}
	u := newUnion(n)
	err := vectors.Ranges(s.opts.Threads, n, sumPlaces, func() func(from, to int) error {
		list := make([]uint32, 0, l.width)
		return func(from, to int) error {
			for p := from; p < to; p++ {
				list = list[:0]
				for at := range l.width {
					if to := binary.LittleEndian.Uint32(l.table[4*(l.width*p+at):]); int64(to) < int64(n) {
						list = append(list, to)
					}
				}
				u.unite(uint32(p), list)
			}
			return s.opts.Context.Err()
		}
	})
	if err != nil {
		return err
	}
	firsts := u.firsts()
	most := max(ledIslands(anyLeaders(n)), int(mostIslands*math.Sqrt(float64(n))))
	s.state.Unled = len(firsts) > most
	for _, first := range firsts[:min(len(firsts), most)] {
		if !led[first] {
			l.leaders = append(l.leaders, leader{first, first})
			s.state.Islands++
		}
	}
	slices.SortFunc(l.leaders, compareLeaders)
	return nil
}
