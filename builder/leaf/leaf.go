// Package leaf solves subsets of rows exactly: it evaluates every pair once and
// hands the keys to whoever keeps the lists. It is the brute-force step inside
// the leaves of a division (Wang et al., "Scalable k-NN graph construction",
// section "Multiple random divide-and-conquer") and, block against block, the
// exact method over all pairs.
//
// Programs have no use for it. It is importable for bench/baseline, whose systems solve subsets
// by the same loops, so that a comparison is one of methods.
package leaf

import "math/bits"

// Keys evaluates keys between place x and the places ids into out, and returns
// how many distances it really computed (the others came from a cache).
type Keys func(x uint32, ids []uint32, out []float32) (evaluated int, err error)

// Block evaluates all pairs of xs and ys: out[i*len(ys)+j] is the key of xs[i]
// and ys[j].
type Block func(xs, ys []uint32, out []float32)

// Emit receives the keys of the pairs (places[i], places[j]) for the j of js.
// The slices are reused.
type Emit func(i int, js []uint32, keys []float32)

// Count is how many pairs were requested and how many evaluated.
type Count struct{ Requested, Evaluated int64 }

// tileRows is how many rows share one pass over the others. Eight rows of keys
// against a leaf of 500 are 16 KB: they stay in L1 beside the rows. Four gain
// less from sharing; sixteen waste more of the triangle.
const tileRows = 8

// A Solver evaluates the pairs of subsets. It holds buffers: one per goroutine.
type Solver struct {
	Keys  Keys
	Block Block // faster where pairs are not skipped; nil if there is none

	js   []uint32
	ids  []uint32
	keys []float32
}

// Solve evaluates each unordered pair of places once, except those marked in
// seen: bit j of seen[i*words:(i+1)*words] says that the pair (i, j) has been
// evaluated before and both ends were offered it. A nil seen marks none.
func (s *Solver) Solve(places []uint32, seen []uint64, words int, emit Emit) (Count, error) {
	n := len(places)
	c := Count{Requested: int64(n) * int64(n-1) / 2}
	s.grow(n)
	if seen != nil {
		return s.unseen(places, seen, words, emit, c)
	}
	if s.Block != nil {
		s.tiles(places, emit)
		c.Evaluated = c.Requested
		return c, nil
	}
	for i := range n - 1 {
		if err := s.row(places, i, i+1, n, emit, &c); err != nil {
			return c, err
		}
	}
	return c, nil
}

// SolveBothWays evaluates every ordered pair, for its first place alone, as a leaf is solved
// without the pairwise update.
func (s *Solver) SolveBothWays(places []uint32, emit Emit) (Count, error) {
	n := len(places)
	c := Count{Requested: int64(n) * int64(n-1)}
	s.grow(n)
	for i := range n {
		if err := s.row(places, i, 0, i, emit, &c); err != nil {
			return c, err
		}
		if err := s.row(places, i, i+1, n, emit, &c); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Cross evaluates every pair of one place of places[:split] and one of
// places[split:].
func (s *Solver) Cross(places []uint32, split int, emit Emit) (Count, error) {
	n := len(places)
	c := Count{Requested: int64(split) * int64(n-split)}
	s.grow(n)
	if s.Block == nil {
		for i := range split {
			if err := s.row(places, i, split, n, emit, &c); err != nil {
				return c, err
			}
		}
		return c, nil
	}
	for i := 0; i < split; i += tileRows {
		s.tile(places, i, min(i+tileRows, split), split, emit)
	}
	c.Evaluated = c.Requested
	return c, nil
}

func (s *Solver) grow(n int) {
	if cap(s.js) >= n {
		return
	}
	s.js, s.ids = make([]uint32, n), make([]uint32, n)
	s.keys = make([]float32, tileRows*n)
	for i := range s.js {
		s.js[i] = uint32(i)
	}
}

// row evaluates place i against places[from:to].
func (s *Solver) row(places []uint32, i, from, to int, emit Emit, c *Count) error {
	if from >= to {
		return nil
	}
	keys := s.keys[:to-from]
	evaluated, err := s.Keys(places[i], places[from:to], keys)
	c.Evaluated += int64(evaluated)
	if err != nil {
		return err
	}
	emit(i, s.js[from:to], keys)
	return nil
}

// tiles walks the triangle of a leaf in bands of tileRows rows.
func (s *Solver) tiles(places []uint32, emit Emit) {
	for i := 0; i < len(places); i += tileRows {
		end := min(i+tileRows, len(places))
		s.tile(places, i, end, i+1, emit)
	}
}

// tile evaluates rows lo..hi against places[from:]. Where the band crosses the
// diagonal each row gives only the pairs to its right.
func (s *Solver) tile(places []uint32, lo, hi, from int, emit Emit) {
	width := len(places) - from
	if width == 0 {
		return
	}
	keys := s.keys[:(hi-lo)*width]
	s.Block(places[lo:hi], places[from:], keys)
	for i := lo; i < hi; i++ {
		first := max(from, i+1)
		row := keys[(i-lo)*width : (i-lo+1)*width]
		if first < len(places) {
			emit(i, s.js[first:len(places)], row[first-from:])
		}
	}
}

// unseen evaluates only pairs whose bit is clear.
func (s *Solver) unseen(places []uint32, seen []uint64, words int, emit Emit, c Count) (Count, error) {
	n := len(places)
	js := make([]uint32, 0, n)
	for i := range n - 1 {
		js = clearBits(js[:0], seen[i*words:(i+1)*words], i+1, n)
		if len(js) == 0 {
			continue
		}
		for m, j := range js {
			s.ids[m] = places[j]
		}
		keys := s.keys[:len(js)]
		evaluated, err := s.Keys(places[i], s.ids[:len(js)], keys)
		c.Evaluated += int64(evaluated)
		if err != nil {
			return c, err
		}
		emit(i, js, keys)
	}
	return c, nil
}

// clearBits appends the positions in [from, to) whose bit is clear.
func clearBits(dst []uint32, row []uint64, from, to int) []uint32 {
	for w := from / 64; w*64 < to; w++ {
		free := ^row[w]
		if w == from/64 {
			free &= ^uint64(0) << (from % 64)
		}
		if rest := to - w*64; rest < 64 {
			free &= 1<<rest - 1
		}
		for ; free != 0; free &= free - 1 {
			dst = append(dst, uint32(w*64+bits.TrailingZeros64(free)))
		}
	}
	return dst
}
