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

// drawLeaders draws the leaders, ordered by island and place: some rows at random, as many that are far from
// all earlier ones, and the first place of every island of linked rows, unless there are very many islands. A
// walk cannot reach an island by itself, and hardly reaches rows with few links to them.
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

// farOf is the number of rows to choose from for a leader that is far from others.
const farOf = 8

// far adds rows of a sample to seen, each time the row that is furthest from all of seen. It first copies the
// rows of the sample next to each other: each is compared some hundred times, and if memory is short, each
// time would read it from disk with the system's read-ahead.
func (s *Searcher) far(norms []float64) func(seen map[uint32]bool, sample []uint32, count int) {
	return func(seen map[uint32]bool, sample []uint32, count int) {
		if len(sample) == 0 || s.space.Metric() == distance.IP { // with inner products nothing is far
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

// A nearness holds a sample's rows, and the key of each to the nearest taken row.
type nearness struct {
	rows    []byte
	norms   []float64 // nil: the metric needs none
	places  []uint32  // 0, 1, 2 ...: numbers of rows
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

// furthest returns the row of the sample that is furthest from all taken rows; of equal ones the first in the
// store.
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

// islands finds the connected components: of returns the first place of a place's component, and firsts are
// the first places of all, the largest component first.
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

// firsts returns the first places of all components, the largest component first.
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

// ledIslands returns the number of islands with a leader in the file of links, if so many leaders are drawn
// from all rows.
func ledIslands(drawn int) int { return max(minIslands, 3*drawn) }

// mostIslands times the root of all rows is the number of islands with a leader if memory holds all. Wrong if
// larger: each costs every query a comparison. Wrong if smaller: rows of an island without a leader are
// hardly found. With 384 leaders, searches of 20,000 rows in 1,000 groups of 20 find 0.45.
const mostIslands = 16

// An islander finds the islands of the graph of a searcher.
type islander struct{ *Searcher }

// lead gives leaders to islands without one in the file of links, as far as memory holds rows and links.
// There are such islands only if the file has leaders for as many as it takes.
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
