// Package keyed compares rows by their keys and offers near rows to lists of candidates. It replaces tiles of
// codes (package vectors/codes) if codes cannot distinguish rows: islands of very different scale,
// near-copies, heavy tails. A key costs as much as about ten distances of codes, and is exact.
//
// Entries of the lists hold keys in the form of candidates.Ordered. Lists depend only on which pairs were
// offered.
package keyed

import (
	"math"
	"slices"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/vectors/codes"
)

// A Comparer compares pairs among some places; each goroutine has one.
type Comparer struct {
	lists *candidates.Lists
	keys  leaf.Keys
	tile  *codes.Tile // only merges

	limits  []uint32 // latest bounds of the current places
	counts  []uint32 // waiting candidates of each
	waiting []waiting
	found   []float32

	bytes  []byte   // of the rows of a leaf
	locals []uint32 // 0, 1, ... of a leaf
	ids    []uint32

	evaluated int // keys evaluated for the current places, if codes screen
}

// waiting are candidates of a place that have not been offered: many at once cost
// little more than one.
type waiting struct {
	distances [waitingMost]uint32
	places    [waitingMost]uint32
}

const waitingMost = 32

// New returns a comparer by keys. The tile, of any matrix, provides the kernel that merges.
func New(lists *candidates.Lists, keys leaf.Keys, tile *codes.Tile) *Comparer {
	return &Comparer{lists: lists, keys: keys, tile: tile}
}

// Among compares each of the first places with all that come after it, every pair once for both of its ends,
// and returns the number of pairs. No place occurs twice.
func (c *Comparer) Among(places []uint32, first int) (pairs int, err error) {
	n := len(places)
	c.begin(places)
	for i := range min(first, n-1) {
		if err := c.row(places, i); err != nil {
			return pairs, err
		}
		pairs += n - 1 - i
	}
	for i := range places {
		c.offer(places, i)
	}
	return pairs, nil
}

// begin sets the places.
func (c *Comparer) begin(places []uint32) {
	n := len(places)
	c.limits = slices.Grow(c.limits[:0], n)[:n]
	c.counts = slices.Grow(c.counts[:0], n)[:n]
	if len(c.waiting) < n {
		c.waiting, c.found = make([]waiting, n), make([]float32, n)
	}
	clear(c.counts)
	c.evaluated = 0
	for i, p := range places {
		c.limits[i] = c.lists.Bound(p)
	}
}

// row compares place i with those after it.
func (c *Comparer) row(places []uint32, i int) error {
	others, keys := places[i+1:], c.found[:len(places)-i-1]
	if _, err := c.keys(places[i], others, keys); err != nil {
		return err
	}
	limits := c.limits[i+1:][:len(keys)]
	limit := c.limits[i]
	for j, key := range keys {
		d := candidates.Ordered(key)
		if d > max(limit, limits[j]) {
			continue
		}
		if d <= limit {
			c.wait(places, i, d, others[j])
			limit = c.limits[i]
		}
		if d <= limits[j] {
			c.wait(places, i+1+j, d, places[i])
		}
	}
	return nil
}

// wait adds a waiting candidate of place i.
func (c *Comparer) wait(places []uint32, i int, distance, other uint32) {
	if c.counts[i] == waitingMost {
		c.offer(places, i)
		if distance > c.limits[i] {
			return
		}
	}
	w := &c.waiting[i]
	w.distances[c.counts[i]], w.places[c.counts[i]] = distance, other
	c.counts[i]++
}

// offer offers the waiting candidates of place i.
func (c *Comparer) offer(places []uint32, i int) {
	n := c.counts[i]
	if n == 0 {
		return
	}
	w := &c.waiting[i]
	c.lists.Offer(c.tile, places[i], w.distances[:n], w.places[:n])
	c.counts[i], c.limits[i] = 0, c.lists.Bound(places[i])
}

// Rekey replaces the list of a place, which holds distances of codes, by one that holds keys. All its entries
// are new again.
func (c *Comparer) Rekey(place uint32) error {
	var ids []uint32
	for i := range c.lists.Len(place) {
		ids = append(ids, c.lists.At(place, i).Place())
	}
	keys := make([]float32, len(ids))
	if _, err := c.keys(place, ids, keys); err != nil {
		return err
	}
	entries := make([]candidates.Entry, 0, len(ids))
	for i, id := range ids {
		entries = append(entries, candidates.MakeEntry(candidates.Ordered(keys[i]), id, candidates.NewHere|candidates.NewThere))
	}
	slices.Sort(entries)
	c.lists.Set(place, entries)
	return nil
}

// None is the limit of a list that is not full.
const None = math.MaxUint32
