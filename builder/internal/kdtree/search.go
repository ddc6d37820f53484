package kdtree

import "math"

// safe is by how much a box may be nearer than it appears, relatively: keys are rounded to float32 from a
// float64 sum of squares of differences that are rounded to float32.
const safe = 1 - 1e-6

// A Searcher finds the neighbors of positions; each goroutine has one.
type Searcher struct {
	t    *Tree
	k    int
	ids  []uint32 // positions
	keys []float32
	n    int // entries
	x    [MaxDim]float32
	self int

	// Compared counts the pairs whose keys were computed.
	Compared int64
}

// Searcher returns a searcher for the k nearest.
func (t *Tree) Searcher(k int) *Searcher {
	return &Searcher{t: t, k: k, ids: make([]uint32, k), keys: make([]float32, k)}
}

// Nearest returns the k nearest of the row at a position, or all others if there are fewer, by (key, row).
// The slices are reused.
func (s *Searcher) Nearest(position int) (positions []uint32, keys []float32) {
	s.n, s.self = 0, position
	copy(s.x[:], s.t.values[position*s.t.dim:(position+1)*s.t.dim])
	s.visit(0, 0, s.t.n, 0)
	return s.ids[:s.n], s.keys[:s.n]
}

// visit searches a node that may hold neighbors. Of its two children, first comes the one with the row
// itself, or the nearer one, or if they are equally near the one with the smaller row: the list then soon
// holds entries that exclude most of the rest.
func (s *Searcher) visit(node, from, to, level int) {
	if level == s.t.levels-1 {
		s.scan(from, to)
		return
	}
	mid := half(from, to)
	a, b := 2*node+1, 2*node+2
	boundA, boundB := s.bound(a), s.bound(b)
	second := s.self >= mid && s.self < to
	if s.self < from || s.self >= to {
		second = boundB < boundA || boundB == boundA && s.t.boxes[b].least < s.t.boxes[a].least
	}
	if !second {
		if s.mayHold(a, boundA) {
			s.visit(a, from, mid, level+1)
		}
		if s.mayHold(b, boundB) {
			s.visit(b, mid, to, level+1)
		}
		return
	}
	if s.mayHold(b, boundB) {
		s.visit(b, mid, to, level+1)
	}
	if s.mayHold(a, boundA) {
		s.visit(a, from, mid, level+1)
	}
}

// bound returns a key that no row of a node is below.
func (s *Searcher) bound(node int) float32 {
	b := &s.t.boxes[node]
	var sum float64
	for j := range s.t.dim {
		x := s.x[j]
		if x < b.low[j] {
			d := float64(b.low[j]) - float64(x)
			sum += d * d
		} else if x > b.high[j] {
			d := float64(x) - float64(b.high[j])
			sum += d * d
		}
	}
	return float32(sum * safe)
}

// mayHold reports whether a row of the node can enter the list. If its bound equals the last key, a smaller
// row can.
func (s *Searcher) mayHold(node int, bound float32) bool {
	if s.n < s.k {
		return true
	}
	last := s.keys[s.k-1]
	return bound < last || bound == last && s.t.boxes[node].least < s.t.rows[s.ids[s.k-1]]
}

// scan compares the row with the rows of a leaf.
func (s *Searcher) scan(from, to int) {
	t := s.t
	for p := from; p < to; p++ {
		if p == s.self {
			continue
		}
		key := s.key(p)
		s.Compared++
		if s.n == s.k {
			last := s.keys[s.k-1]
			if key > last || key == last && t.rows[p] > t.rows[s.ids[s.k-1]] {
				continue
			}
		}
		s.insert(uint32(p), key)
	}
}

// key returns the key of package distance: differences rounded to float32, their squares summed in float64
// lanes, which are added in halves. With at most eight elements every lane has one.
func (s *Searcher) key(p int) float32 {
	y := s.t.values[p*s.t.dim : (p+1)*s.t.dim]
	var lane [MaxDim]float64
	for j, v := range y {
		d := float64(s.x[j] - v)
		lane[j&7] = d * d
	}
	if len(y) <= 2 {
		return float32(lane[0] + lane[1])
	}
	return float32(((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7])))
}

// insert inserts a position into the list, which has room or a worse last entry.
func (s *Searcher) insert(p uint32, key float32) {
	at := s.n
	if s.n == s.k {
		at--
	} else {
		s.n++
	}
	row := s.t.rows[p]
	for at > 0 && (s.keys[at-1] > key || s.keys[at-1] == key && s.t.rows[s.ids[at-1]] > row) {
		s.keys[at], s.ids[at] = s.keys[at-1], s.ids[at-1]
		at--
	}
	s.keys[at], s.ids[at] = key, p
}

// Visits estimates the number of rows that a search compares: the mean over some positions, evenly spread.
func (t *Tree) Visits(k, sample int) float64 {
	if t.n == 0 {
		return 0
	}
	s, sample := t.Searcher(max(1, min(k, t.n-1))), min(sample, t.n)
	for i := range sample {
		s.Nearest(int(int64(i) * int64(t.n) / int64(sample)))
	}
	return math.Round(float64(s.Compared) / float64(sample))
}
