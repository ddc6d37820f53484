package speed

import (
	"slices"
	"sync"
	"time"

	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/products"
)

// A leafTile compares the rows of a leaf with each other.
type leafTile interface {
	columns(leaf []uint32)
	band(rows []uint32)                // products of some rows with all columns
	near(first int, rows []uint32) int // what builds do of rows from first on: with how many columns
}

// nearRows is about how many rows of a leaf are near enough to be selected: as in
// lists that are some way on.
const nearRows = 8

// codesLeaf compares codes as leaves of balls do once lists are full: each row with those
// before it, for both, within limits that lists have and a leaf need not find.
type codesLeaf struct {
	tile   *codes.Tile
	wide   int
	limits []uint32 // of the columns
	marked int
}

func (l *codesLeaf) columns(leaf []uint32) {
	l.tile.Expect(leaf)
	l.tile.Columns(leaf, nil)
	if l.wide = len(leaf); l.limits == nil {
		l.limits = slices.Repeat([]uint32{l.usualLimit(leaf)}, len(leaf)+codes.BandRows)
	}
}

// usualLimit is the distance within which half of a leaf's rows have nearRows others.
func (l *codesLeaf) usualLimit(leaf []uint32) uint32 {
	var limits []uint32
	for band := range slices.Chunk(leaf, codes.BandRows) {
		l.band(band)
		for r := range band {
			limits = append(limits, l.tile.Bound(r, nearRows+1)) // it is near itself
		}
	}
	slices.Sort(limits)
	return limits[len(limits)/2]
}

func (l *codesLeaf) band(rows []uint32) { l.tile.Rows(rows, l.wide) }

func (l *codesLeaf) near(first int, rows []uint32) int {
	wide := min(first+len(rows), l.wide)
	l.tile.Pairs(rows, wide, l.limits[first:first+len(rows)], l.limits)
	for r := range rows {
		near, _ := l.tile.Marked(r, min(first+r, wide))
		l.marked += len(near)
	}
	return wide
}

// productsLeaf compares in float32, as exact lists are found where bytes do not tell. There
// a row's list bounds the near rows; here nothing does.
type productsLeaf struct {
	tile *products.Tile
	wide int
}

func (l *productsLeaf) columns(leaf []uint32) {
	l.tile.Columns(leaf, nil, 0)
	l.wide = len(leaf)
}

func (l *productsLeaf) band(rows []uint32) { l.tile.Rows(rows) }

func (l *productsLeaf) near(_ int, rows []uint32) int {
	l.band(rows)
	for i := range rows {
		l.tile.Near(i, 0)
	}
	return l.wide
}

// A rate is the best of rateTimes, each of rateTime: other work of the machine is
// not the kernel's.
const (
	rateTime  = 100 * time.Millisecond
	rateTimes = 8
)

// rate is pairs a second of some threads, each with leaves of its own: all that a
// leaf takes, or at the peak products of one leaf that stays in cache.
func rate(threads, rows int, tile func() leafTile, peak bool) (best float64) {
	for range rateTimes {
		best = max(best, rateOnce(threads, rows, tile, peak))
	}
	return best
}

func rateOnce(threads, rows int, tile func() leafTile, peak bool) float64 {
	pairs := make([]int, threads)
	began := time.Now()
	var all sync.WaitGroup
	for thread := range threads {
		all.Go(func() {
			t := tile()
			for first := thread * leafRows; time.Since(began) < rateTime; first += threads * leafRows {
				if peak {
					first = thread * leafRows
				}
				pairs[thread] += compare(t, leafAt(first, rows), peak && pairs[thread] > 0)
			}
		})
	}
	all.Wait()
	sum := 0
	for _, p := range pairs {
		sum += p
	}
	return float64(sum) / time.Since(began).Seconds()
}

// leafAt are leafRows places from first on, going round.
func leafAt(first, rows int) []uint32 {
	leaf := make([]uint32, leafRows)
	for i := range leaf {
		leaf[i] = uint32((first + i) % rows)
	}
	return leaf
}

// compare solves a leaf; only products where its columns are there already.
func compare(t leafTile, leaf []uint32, there bool) (pairs int) {
	if !there {
		t.columns(leaf)
	}
	for first := 0; first < len(leaf); first += codes.BandRows {
		rows, wide := leaf[first:min(first+codes.BandRows, len(leaf))], len(leaf)
		if there {
			t.band(rows)
		} else {
			wide = t.near(first, rows)
		}
		pairs += len(rows) * wide
	}
	return pairs
}
