package kdtree

// A sorter sorts rows into the tree's order.
type sorter struct {
	values   []float32
	dim      int
	rows     []uint32
	parallel int
}

// sort sorts the positions from to to-1, a node so many levels above the leaves. Rows of a leaf are sorted by
// number.
func (s *sorter) sort(from, to, above, level int) {
	if above == 0 {
		s.byRow(from, to)
		return
	}
	mid := half(from, to)
	if to-from > 1 {
		s.split(from, to, mid, s.widest(from, to))
	}
	both(level < s.parallel,
		func() { s.sort(from, mid, above-1, level+1) },
		func() { s.sort(mid, to, above-1, level+1) })
}

// widest returns the dimension in which the rows are spread most.
func (s *sorter) widest(from, to int) (best int) {
	width := float64(-1)
	for j := range s.dim {
		low, high := s.at(from, j), s.at(from, j)
		for p := from + 1; p < to; p++ {
			x := s.at(p, j)
			low, high = min(low, x), max(high, x)
		}
		if w := float64(high) - float64(low); w > width {
			best, width = j, w
		}
	}
	return best
}

func (s *sorter) at(p, j int) float32 { return s.values[p*s.dim+j] }

// before compares two positions by (coordinate, row). No two are equal, so the halves are the same rows with
// any algorithm.
func (s *sorter) before(j int, x float32, row uint32, p int) bool {
	if y := s.at(p, j); x != y {
		return x < y
	}
	return row < s.rows[p]
}

// split moves the rows that come first in dimension j before position mid (quickselect with medians of three
// as pivots).
func (s *sorter) split(from, to, mid, j int) {
	for to-from > 1 {
		p := s.median(from, from+(to-from)/2, to-1, j)
		x, row := s.at(p, j), s.rows[p]
		low, high := from, to-1
		for low <= high {
			for s.rows[low] != row && !s.before(j, x, row, low) {
				low++
			}
			for s.rows[high] != row && s.before(j, x, row, high) {
				high--
			}
			if low <= high {
				s.swap(low, high)
				low++
				high--
			}
		}
		switch {
		case mid <= high:
			to = high + 1
		case mid >= low:
			from = low
		default:
			return
		}
	}
}

// median returns the position of the median of three.
func (s *sorter) median(a, b, c, j int) int {
	less := func(p, q int) bool { return s.before(j, s.at(p, j), s.rows[p], q) }
	if less(b, a) {
		a, b = b, a
	}
	if less(c, b) {
		b = c
		if less(b, a) {
			b = a
		}
	}
	return b
}

func (s *sorter) swap(p, q int) {
	s.rows[p], s.rows[q] = s.rows[q], s.rows[p]
	for j := range s.dim {
		s.values[p*s.dim+j], s.values[q*s.dim+j] = s.values[q*s.dim+j], s.values[p*s.dim+j]
	}
}

// byRow sorts the few rows of a leaf by their numbers.
func (s *sorter) byRow(from, to int) {
	for p := from + 1; p < to; p++ {
		for q := p; q > from && s.rows[q] < s.rows[q-1]; q-- {
			s.swap(q, q-1)
		}
	}
}
