package plan

import (
	"math"

	"github.com/knng/knng/builder/internal/fixed"
)

// compressed is the size of blocks of single entries on disk, as a share of the lists: Pebble keeps
// some of them smaller. Measured with rows as they come, on faces and MNIST, and in their
// order, where most of a list comes from the first round, on SIFT, GIST and random rows.
const compressed, compressedInOrder = 0.6, 0.14

// keysByRounded is how many keys are evaluated for every entry of a list where codes leave
// something open: measured 5.8 on GIST, of rows in the same blocks, which cost two thirds
// of the keys that calibration measures.
const keysByRounded = 4

// productBytes is the memory of a row of products (package products).
const productBytes = 4

// byCodes reports whether all pairs are compared as bytes.
func (s *Shape) byCodes() bool { return s.KeyCodes || s.CodeBytes > productBytes }

// exact are the passes of the exact method.
func (s *Shape) exact() []Pass {
	n, lists := s.n(), s.lists(s.n(), s.K)
	var held memory
	held.block(8 * n * float64(s.K))
	held.heap += float64(s.CodeBytes)*n + 4*n
	s.good(&held)
	rounds := math.Max(1, n/float64(fixed.BlockSide(s.Rows, s.Dim, s.CodeBytes > 0)))
	// The entries that a round finds are kept: k a row in the first one, and in a later one
	// those that are nearer than all before it.
	share, order := compressed, s.write("order", "copies the rows", work{}, memory{})
	if s.byCodes() {
		share = compressedInOrder
	}
	if s.byCodes() && !s.Inner {
		_, tile := s.division()
		order = s.ordered(tile)
	}
	first := lists * (1 + share*math.Log(math.Min(rounds, fixed.ExactRounds)))
	later := lists * share * math.Log(math.Max(1, rounds/fixed.ExactRounds))
	folds := 0.0
	if first > lists {
		folds = 1 + math.Floor(later/lists)
	}
	kept := s.storedRows() + first
	after := s.storedRows() + lists + math.Min(later, lists)
	bounds, bounded := s.bounds(held)
	held.heap += lists // the findings of the first round, before they are written
	keys := 0.0
	if s.byCodes() && !s.KeyCodes {
		keys = keysByRounded * n * float64(s.K)
	}
	compare := Pass{Name: "exact", Does: "compares all rows with all others, block with block", Times: 1,
		ReadBytes: int64(s.rowBytes() * (rounds + 1) / 2), WrittenBytes: int64(first + later + folds*lists), DiskBytes: int64(kept),
		work: work{screen: n * n / 2, keys: keys, touched: n * float64(s.K) * (1 + math.Log(rounds))}, held: held}
	passes := append(s.read(), order)
	if bounded {
		passes = append(passes, bounds)
	}
	passes = append(passes, compare)
	return append(passes, s.sealed(after, work{}, held)...)
}

// bounds is the pass that divides the rows once before all are compared with all; few
// rows have none. The lists of that are gone when those of all pairs come.
func (s *Shape) bounds(held memory) (Pass, bool) {
	if s.Inner {
		return s.boundsByLongest(held), s.bounded()
	}
	leaf, tile := s.division()
	held.heap += 24 * s.n()
	p := Pass{Name: "bounds", Does: "divides the rows once, to know what is too far for their lists", Times: 1,
		ReadBytes: int64(float64(s.Overlap) * s.rowBytes()), DiskBytes: int64(s.storedRows()),
		work: work{leaf: leaf, tile: tile}, held: held}
	if !s.KeyCodes {
		p.work.keys = s.n() * float64(s.K)
	}
	return p, s.bounded()
}

func (s *Shape) bounded() bool { return s.byCodes() && s.Rows >= fixed.BoundLeaves*int64(s.LeafSize) }

// boundsByLongest is the same pass of inner products.
func (s *Shape) boundsByLongest(held memory) Pass {
	held.heap += 12 * s.n()
	return Pass{Name: "bounds", Does: "compares rows with the longest, to know what is too far for their lists", Times: 1,
		ReadBytes: int64(2 * s.rowBytes()), DiskBytes: int64(s.storedRows()),
		work: work{screen: fixed.Columns * s.n(), keys: s.n() * float64(s.K)}, held: held}
}
