package balls

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/keyed"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/vectors"
)

// A build may begin from known lists, of another graph of these rows or of parts of them: they are the first
// generation. If their keys are distances of codes, the lists are used as they are, and bound the new lists:
// no row beyond the last known neighbor is a neighbor. Otherwise every row is compared with its known
// neighbors and those of the rows beside it, which gives lists with the distances of this build. From then on
// recall decides as usual.

// keysKnown reports whether there are known lists of parts with keys that are distances of codes, not along
// axes.
func (m *Method) keysKnown() bool { return m.opts.Known != nil && m.opts.Ends != nil && m.CodesOrder() }

// known makes lists from the known lists.
func (m *Method) known() error {
	placeOf := m.PlaceOf(int(slices.Max(m.Order)) + 1)
	take, total, compares := m.takeKnown, len(placeOf), !m.keysKnown() || !m.Codes.Exact()
	if compares {
		take, total = m.compareKnown, m.N()
	}
	p := m.Begin("known lists", "rows", int64(total))
	m.parts.find()
	var pairs atomic.Int64
	err := vectors.Apart(m.Job.Threads, total, joinRange, func() func(from, to int) error {
		k, some := &knownReader{m: m, placeOf: placeOf}, take()
		return func(from, to int) error {
			for ; from < to; from += knownRows {
				end := min(from+knownRows, to)
				n, err := some(k, from, end)
				if err != nil {
					return err
				}
				pairs.Add(n)
				p.Add(end - from)
			}
			return m.Ctx.Err()
		}
	})
	if err != nil {
		return err
	}
	if compares && m.opts.Ends != nil {
		m.unmark()
	}
	st := job.Stage{Kind: job.KnownStage, Number: 1, Requested: pairs.Load(), Evaluated: pairs.Load()}
	if err := m.look(&st); err != nil {
		return err
	}
	err = m.endBallStage(st)
	p.End("known lists: %.0f pairs a row%s", float64(pairs.Load())/float64(m.N()), m.SteerNote())
	return err
}

// knownRows is the number of consecutive places that are compared with the known neighbors of all of them.
// These places lie near each other, so their neighbors do too.
const knownRows = 16

// A knownReader reads known lists, on one goroutine.
type knownReader struct {
	m       *Method
	placeOf []uint32 // the place of each row
	places  []uint32
	keys    []float32
}

// read reads the list of a row, as places. The slices are valid until the next call.
func (k *knownReader) read(row uint32) (places []uint32, keys []float32, err error) {
	if k.places, k.keys, err = k.m.opts.Known(row, k.places[:0], k.keys[:0]); err != nil {
		return nil, nil, err
	}
	places, keys = k.places, k.keys
	if len(keys) != len(places) {
		return nil, nil, fmt.Errorf("builder: %d rows are known near row %d, with %d keys", len(places), row, len(keys))
	}
	n := 0
	for i, row := range places {
		if int(row) < len(k.placeOf) && k.placeOf[row] != points.NoPlace {
			places[n], keys[n] = k.placeOf[row], keys[i]
			n++
		}
	}
	return places[:n], keys[:n], nil
}

// A knownTaker makes lists from the known lists of a range of rows or places, and returns the pairs it
// compared.
type knownTaker func(k *knownReader, from, to int) (pairs int64, err error)

// takeKnown returns a taker for one goroutine that copies known lists into the build, marked as joined
// already. It goes in the order of rows, in which the lists are on disk: reading out of order would take
// longer than writing out of order.
func (m *Method) takeKnown() knownTaker {
	var list nearestOnce
	return func(k *knownReader, from, to int) (int64, error) {
		for row := uint32(from); row < uint32(to); row++ {
			place := k.placeOf[row]
			if place == points.NoPlace {
				continue
			}
			places, keys, err := k.read(row)
			if err != nil {
				return 0, err
			}
			list.reset()
			for i, other := range places {
				code := uint32(keys[i])
				if float32(code) != keys[i] {
					return 0, fmt.Errorf("builder: row %d is known near row %d with key %v, want a whole number", m.Order[other], row, keys[i])
				}
				if other != place {
					list.add(candidates.MakeEntry(code, other, 0))
				}
			}
			m.found.Set(place, list.nearest(m.found.K))
		}
		return 0, nil
	}
}

// nearestOnce makes a list of entries in which each place occurs once, with its nearest entry.
type nearestOnce struct {
	entries []candidates.Entry
	seen    [64]uint64 // bits of hashes of the places
	doubt   bool       // two entries share a bit: perhaps the same place twice
}

func (l *nearestOnce) reset() { l.entries, l.seen, l.doubt = l.entries[:0], [64]uint64{}, false }

func (l *nearestOnce) add(e candidates.Entry) {
	hash := e.Place() * 0x9e3779b1 >> 20
	word, bit := &l.seen[hash/64], uint64(1)<<(hash%64)
	l.doubt = l.doubt || *word&bit != 0
	*word |= bit
	l.entries = append(l.entries, e)
}

// nearest returns the nearest entries, at most most of them, valid until the next reset.
func (l *nearestOnce) nearest(most int) []candidates.Entry {
	if l.doubt {
		slices.SortFunc(l.entries, func(a, b candidates.Entry) int {
			return cmp.Or(cmp.Compare(a.Place(), b.Place()), cmp.Compare(a, b))
		})
		l.entries = slices.CompactFunc(l.entries, func(a, b candidates.Entry) bool { return a.Place() == b.Place() })
	}
	if !slices.IsSorted(l.entries) { // most lists come sorted
		slices.Sort(l.entries)
	}
	return l.entries[:min(len(l.entries), most)]
}

// compareKnown returns a taker for one goroutine that compares places with the known neighbors of all of
// them.
func (m *Method) compareKnown() knownTaker {
	var tile *leaves.Tile
	var comparer *keyed.Comparer
	if m.Keyed {
		comparer = leaves.Comparer(&m.Points, m.found)
	} else {
		tile = leaves.NewTile(m.Codes, m.found)
	}
	var leaf, places []uint32
	return func(k *knownReader, from, to int) (int64, error) {
		leaf, places = leaf[:0], places[:0]
		for place := uint32(from); place < uint32(to); place++ {
			near, _, err := k.read(m.Order[place])
			if err != nil {
				return 0, err
			}
			places, leaf = append(places, place), append(append(leaf, place), near...)
		}
		slices.Sort(leaf)
		leaf = slices.Compact(leaf)
		pairs := int64(len(places)) * (int64(len(leaf)) - 1)
		var err error
		if tile != nil {
			tile.Compare(leaf, places)
		} else {
			at, _ := slices.BinarySearch(leaf, uint32(from))
			slices.Reverse(leaf[:at+len(places)]) // the places come first: they are consecutive
			_, err = comparer.Among(leaf, len(places))
		}
		return pairs, err
	}
}

// unmark removes the marks of entries of the same part, since joins of these find nothing.
func (m *Method) unmark() {
	of := m.parts.of
	for place := range uint32(m.N()) {
		part, entries := of[place], m.found.Entries(place)
		for i, e := range entries {
			if of[e.Place()] == part {
				entries[i] = e &^ (candidates.NewHere | candidates.NewThere)
			}
		}
	}
}
