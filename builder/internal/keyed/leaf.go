package keyed

import (
	"fmt"
	"math"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/screen"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
)

// A leaf that is large enough has its own codes, with its own center and scale: they distinguish rows at the
// scale of the leaf, and bounds mark the pairs that they leave open (package screen). Keys decide these, so
// the lists are those that keys alone would give.

// Rows are the vectors that a comparer encodes, leaf by leaf.
type Rows struct {
	Rows  *vectors.Rows
	Space *distance.Space
}

// Leaves of so many places, of rows of so many dimensions, have their own codes. With less, keys take no
// longer.
const (
	codedLeaf = 128
	codedDim  = 12
)

// Leaf compares all pairs of a leaf, each for both of its ends, and returns the number of pairs.
func (c *Comparer) Leaf(rows Rows, places []uint32) (pairs int, err error) {
	n := len(places)
	if n < codedLeaf || rows.Rows.Dim() < codedDim {
		return c.Among(places, n)
	}
	s, err := c.screenOf(rows, places)
	if err != nil {
		return 0, err
	}
	c.begin(places)
	c.locals = c.locals[:0]
	for i := range places {
		c.locals = append(c.locals, uint32(i))
	}
	s.Columns(c.locals, nil, c.locals)
	for first := 0; first < n; first += screen.BandRows {
		band := c.locals[first:min(first+screen.BandRows, n)]
		s.Rows(band)
		for r, i := range band {
			if err := c.screened(s, places, r, int(i)); err != nil {
				return 0, err
			}
		}
		if seen := first + len(band); seen <= trialRows && c.evaluated > seen*n/openShare {
			return c.Among(places, n) // codes leave too much open
		}
	}
	return n * (n - 1) / 2, nil
}

// After trialRows rows of a leaf, codes are given up if they leave open more than one pair in openShare:
// screened, a pair is evaluated for each of its ends.
const (
	trialRows = 64
	openShare = 3
)

// screenOf returns a screen of a leaf by its own codes.
func (c *Comparer) screenOf(rows Rows, places []uint32) (screen.Screen, error) {
	size := rows.Rows.Dim() * rows.Rows.Type().Size()
	c.bytes = c.bytes[:0]
	for _, p := range places {
		c.bytes = append(c.bytes, rows.Rows.Row(int(p))[:size]...)
	}
	own, err := vectors.RowsOf(c.bytes, len(places), rows.Rows.Dim(), size, rows.Rows.Type())
	if err != nil {
		return nil, fmt.Errorf("keyed: %w", err)
	}
	m, err := codes.Of(own, rows.Space, codes.FitRows(own, rows.Space), 1)
	if err != nil {
		return nil, fmt.Errorf("keyed: %w", err)
	}
	return screen.NewRounded(m, min(c.lists.K, len(places)-1)).Screen(), nil
}

// screened offers the near rows to place i of a leaf, row r of the band.
func (c *Comparer) screened(s screen.Screen, places []uint32, r, i int) error {
	if prime, ok := s.(screen.Primer); ok && c.limits[i] == None {
		if err := c.evaluate(places, i, prime.Prime(r)); err != nil {
			return err
		}
	}
	bound := float32(math.Inf(1))
	if c.limits[i] != None {
		bound = candidates.KeyOf(c.limits[i])
	}
	near, _ := s.Near(r, bound)
	return c.evaluate(places, i, near)
}

// evaluate offers others of a leaf, by number, to place i.
func (c *Comparer) evaluate(places []uint32, i int, others []uint32) error {
	c.ids = c.ids[:0]
	for _, j := range others {
		if int(j) != i {
			c.ids = append(c.ids, places[j])
		}
	}
	c.evaluated += len(c.ids)
	keys := c.found[:len(c.ids)]
	if _, err := c.keys(places[i], c.ids, keys); err != nil {
		return err
	}
	for j, key := range keys {
		if d := candidates.Ordered(key); d <= c.limits[i] {
			c.wait(places, i, d, c.ids[j])
		}
	}
	c.offer(places, i)
	return nil
}
