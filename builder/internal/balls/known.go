package balls

import (
	"slices"
	"sync/atomic"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/keyed"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/vectors"
)

// A build may begin from lists that are known, of another graph over these rows or over parts of
// them: they are the first generation. Every row is compared with its known neighbors and those of
// rows beside it, so that the lists are there with the distances of this build. After that recall
// decides as ever.

// known compares every row with the known neighbors of rows about it.
func (m *Method) known() error {
	p := m.Begin("known lists", "rows", int64(m.N()))
	placeOf := make([]uint32, slices.Max(m.Order)+1)
	for i := range placeOf {
		placeOf[i] = nowhere
	}
	for place, row := range m.Order {
		placeOf[row] = uint32(place)
	}
	var pairs atomic.Int64
	err := vectors.Apart(m.Job.Threads, m.N(), joinRange, func() func(from, to int) error {
		k := m.newKnowing(placeOf)
		return func(from, to int) error {
			for ; from < to; from += knownRows {
				n, err := k.compare(from, min(from+knownRows, to))
				if err != nil {
					return err
				}
				pairs.Add(n)
				p.Add(min(knownRows, to-from))
			}
			return m.Ctx.Err()
		}
	})
	if err != nil {
		return err
	}
	if m.opts.Ends != nil {
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

// unmark takes off the marks of entries of the same part: joins of these find nothing.
func (m *Method) unmark() {
	m.findParts()
	for place := range uint32(m.N()) {
		part, entries := m.partOf(place), m.found.Entries(place)
		for i, e := range entries {
			if m.partOf(e.Place()) == part {
				entries[i] = e &^ (candidates.NewHere | candidates.NewThere)
			}
		}
	}
}

// knownRows is how many places that follow each other are compared with the known neighbors of all
// of them: they lie near each other, so that these are near too.
const knownRows = 16

// A knowing compares places with known neighbors, on one goroutine.
type knowing struct {
	m       *Method
	placeOf []uint32 // of a row, nowhere if it has none
	tile    *leaves.Tile
	keyed   *keyed.Comparer // in place of tile, where lists hold keys
	rows    []uint32
	leaf    []uint32
	places  []uint32
}

func (m *Method) newKnowing(placeOf []uint32) *knowing {
	k := &knowing{m: m, placeOf: placeOf}
	if m.Keyed {
		k.keyed = leaves.Comparer(&m.Points, m.found)
	} else {
		k.tile = leaves.NewTile(m.Codes, m.found)
	}
	return k
}

// compare compares the places of a range with the known neighbors of all of them, and returns how
// many pairs these are.
func (k *knowing) compare(from, to int) (pairs int64, err error) {
	k.rows, k.places = k.rows[:0], k.places[:0]
	for place := from; place < to; place++ {
		k.places = append(k.places, uint32(place))
		if k.rows, err = k.m.opts.Known(k.m.Order[place], k.rows); err != nil {
			return 0, err
		}
	}
	k.leaf = append(k.leaf[:0], k.places...)
	for _, row := range k.rows {
		if int(row) < len(k.placeOf) && k.placeOf[row] != nowhere {
			k.leaf = append(k.leaf, k.placeOf[row])
		}
	}
	slices.Sort(k.leaf)
	k.leaf = slices.Compact(k.leaf)
	n := int64(len(k.places))
	pairs = n * (int64(len(k.leaf)) - 1)
	if k.tile != nil {
		k.tile.Compare(k.leaf, k.places)
		return pairs, nil
	}
	at, _ := slices.BinarySearch(k.leaf, uint32(from))
	slices.Reverse(k.leaf[:at+len(k.places)]) // the places first: they follow each other
	_, err = k.keyed.Among(k.leaf, len(k.places))
	return pairs, err
}

const nowhere = ^uint32(0)
