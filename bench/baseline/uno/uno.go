// Package uno is Uno, Sugiyama, Tsuda 2009, "Efficient construction of
// neighborhood graphs by the multiple sorting method", arXiv 0904.3151, sections 2
// (multiple sorting) and 3 (strings by locality-sensitive hashing): rows become
// strings; all pairs of strings that differ in at most Errors places are found by
// sorting on every choice of blocks that such a pair must share; those pairs are
// compared. Several independent sets of strings find more.
//
// The paper leaves open, or we settled otherwise:
//   - It finds neighbors within a radius. Here all pairs found are offered to lists
//     of k, as Wang et al. must have done.
//   - Letters are bits: the side of a random hyperplane on which a row lies, which
//     passes through the median of a sample, so that bits are balanced whatever the
//     data. (Under cosine it passes through the origin.)
//   - A pair is compared at the first set of strings and the first choice of blocks
//     that finds it, and never again: both are told from the strings alone, without
//     a table of pairs.
package uno

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/vectors/distance"
)

// Builder holds the parameters.
type Builder struct {
	Length int // letters of a string, at most 64; 32
	Errors int // places in which strings may differ; 3
	Blocks int // blocks of a string, more than Errors; Errors + 2
	Sets   int // independent sets of strings; 4
}

// walk is one build.
type walk struct {
	Builder
	x       *baseline.Points
	lists   *knn.Lists
	strings [][]uint64 // of every set so far
	blocks  []uint64   // the letters of each block
	tested  int64      // pairs of strings
	sorted  []item
	spare   []item
}

// item is a string, of which only some letters are left, and its row.
type item struct {
	masked uint64
	row    uint32
}

// Build returns approximate lists.
func (s Builder) Build(ctx context.Context, p *baseline.Problem) (*baseline.Graph, error) {
	if err := s.settle(); err != nil {
		return nil, err
	}
	x, err := baseline.NewPoints(p)
	if err != nil {
		return nil, err
	}
	w := &walk{Builder: s, x: x, lists: baseline.NewLists(p), sorted: make([]item, x.Len()), spare: make([]item, x.Len())}
	w.blocks = cut(s.Length, s.Blocks)
	rng := rand.New(rand.NewPCG(p.Seed, 3))
	for range s.Sets {
		w.strings = append(w.strings, w.hash(rng))
		err := choices(s.Blocks, s.Blocks-s.Errors, func(blocks uint64) error { return w.choice(ctx, blocks) })
		if err != nil {
			return nil, err
		}
	}
	return &baseline.Graph{Lists: w.lists, Comparisons: x.Compared, Detail: map[string]float64{"strings_tested": float64(w.tested)}}, nil
}

// settle fills in defaults.
func (s *Builder) settle() error {
	if s.Length == 0 {
		s.Length = 32
	}
	if s.Errors == 0 {
		s.Errors = 3
	}
	if s.Blocks == 0 {
		s.Blocks = s.Errors + 2
	}
	if s.Sets == 0 {
		s.Sets = 4
	}
	if s.Errors < 0 || s.Blocks <= s.Errors || s.Length < s.Blocks || s.Length > 64 || s.Sets < 0 {
		return fmt.Errorf("uno: %d errors, %d blocks, %d letters: want errors < blocks <= letters <= 64", s.Errors, s.Blocks, s.Length)
	}
	return nil
}

// cut shares the letters out to blocks as evenly as they go.
func cut(length, blocks int) []uint64 {
	masks := make([]uint64, blocks)
	for i := range length {
		masks[i*blocks/length] |= 1 << i
	}
	return masks
}

// choices calls fn with every set of m of n blocks, as bits.
func choices(n, m int, fn func(blocks uint64) error) error {
	for set := range uint64(1) << n {
		if bits.OnesCount64(set) != m {
			continue
		}
		if err := fn(set); err != nil {
			return err
		}
	}
	return nil
}

// sampleRows is how many rows place a hyperplane.
const sampleRows = 1000

// hash makes a string of every row.
func (w *walk) hash(rng *rand.Rand) []uint64 {
	n := w.x.Len()
	all, out := baseline.All(n), make([]float64, n)
	strings := make([]uint64, n)
	dir := make([]float32, w.x.Dim())
	for letter := range w.Length {
		for i := range dir {
			dir[i] = float32(rng.NormFloat64())
		}
		w.x.Space.Dot(dir, w.x.Base(), w.x.Stride(), all, out)
		border := w.border(out, rng)
		for i, v := range out {
			if v >= border {
				strings[i] |= 1 << letter
			}
		}
	}
	return strings
}

// border is where a hyperplane passes.
func (w *walk) border(products []float64, rng *rand.Rand) float64 {
	if w.x.Space.Metric() == distance.Cosine || len(products) == 0 {
		return 0
	}
	sample := make([]float64, min(sampleRows, len(products)))
	for i := range sample {
		sample[i] = products[rng.IntN(len(products))]
	}
	slices.Sort(sample)
	return sample[len(sample)/2]
}

// choice sorts by some blocks and looks at the rows that agree in them.
func (w *walk) choice(ctx context.Context, blocks uint64) error {
	var mask uint64
	for b, letters := range w.blocks {
		if blocks>>b&1 == 1 {
			mask |= letters
		}
	}
	last := w.strings[len(w.strings)-1]
	for i, s := range last {
		w.sorted[i] = item{s & mask, uint32(i)}
	}
	w.radix(mask)
	for from := 0; from < len(w.sorted); {
		to := from + 1
		for to < len(w.sorted) && w.sorted[to].masked == w.sorted[from].masked {
			to++
		}
		if err := w.group(ctx, w.sorted[from:to], blocks); err != nil {
			return err
		}
		from = to
	}
	return ctx.Err()
}

// radix sorts by the bytes of the masked strings, last byte first; bytes outside
// the mask are all equal and left out.
func (w *walk) radix(mask uint64) {
	for shift := 0; shift < 64; shift += 8 {
		if mask>>shift&0xff == 0 {
			continue
		}
		var next [256]int
		for _, it := range w.sorted {
			next[it.masked>>shift&0xff]++
		}
		sum := 0
		for b, count := range next {
			next[b], sum = sum, sum+count
		}
		for _, it := range w.sorted {
			b := it.masked >> shift & 0xff
			w.spare[next[b]] = it
			next[b]++
		}
		w.sorted, w.spare = w.spare, w.sorted
	}
}

// group looks at all pairs of rows that agree in the chosen blocks.
func (w *walk) group(ctx context.Context, items []item, blocks uint64) error {
	last := w.strings[len(w.strings)-1]
	var ids [1]uint32
	var key [1]float32
	for i, a := range items {
		if i%1024 == 1023 && ctx.Err() != nil {
			return ctx.Err()
		}
		s := last[a.row]
		w.tested += int64(len(items) - 1 - i)
		for _, b := range items[i+1:] {
			differ := s ^ last[b.row]
			if bits.OnesCount64(differ) > w.Errors || !w.first(differ, blocks) || w.known(a.row, b.row) {
				continue
			}
			ids[0] = b.row
			w.x.Keys(a.row, ids[:], key[:])
			w.lists.Offer(a.row, b.row, key[0])
			w.lists.Offer(b.row, a.row, key[0])
		}
	}
	return nil
}

// first reports whether blocks is the first choice of blocks in which a pair
// agrees: the lowest ones.
func (w *walk) first(differ, blocks uint64) bool {
	var lowest uint64
	left := w.Blocks - w.Errors
	for b, letters := range w.blocks {
		if left > 0 && differ&letters == 0 {
			lowest |= 1 << b
			left--
		}
	}
	return lowest == blocks
}

// known reports whether an earlier set of strings has found the pair.
func (w *walk) known(a, b uint32) bool {
	for _, strings := range w.strings[:len(w.strings)-1] {
		if bits.OnesCount64(strings[a]^strings[b]) <= w.Errors {
			return true
		}
	}
	return false
}
