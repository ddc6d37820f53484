package balls

import (
	"slices"
	"sync/atomic"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/vectors"
)

// A build may begin from lists that are known, of another graph over these rows or over parts of
// them: they are the first generation. Every row is compared with its known neighbors, so that the
// lists are there with the distances of this build, and joins find all of them new. After that
// recall decides as ever.

// known compares every row with its known neighbors.
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
		compare := m.oneToMany()
		var rows, leaf []uint32
		return func(from, to int) (err error) {
			for place := from; place < to; place++ {
				if rows, err = m.opts.Known(m.Order[place], rows[:0]); err != nil {
					return err
				}
				leaf = around(leaf[:0], uint32(place), rows, placeOf)
				if err := compare(leaf, uint32(place)); err != nil {
					return err
				}
				pairs.Add(int64(len(leaf)) - 1)
			}
			p.Add(to - from)
			return m.Ctx.Err()
		}
	})
	if err != nil {
		return err
	}
	if m.opts.Joined {
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

// unmark takes off the marks of all entries: joins of these find nothing.
func (m *Method) unmark() {
	for place := range uint32(m.N()) {
		entries := m.found.Entries(place)
		for i, e := range entries {
			entries[i] = e &^ (candidates.NewHere | candidates.NewThere)
		}
	}
}

// oneToMany returns a function that compares a place with others, of which it is one, for one
// goroutine.
func (m *Method) oneToMany() func(leaf []uint32, place uint32) error {
	if m.Keyed {
		c := leaves.Comparer(&m.Points, m.found)
		return func(leaf []uint32, place uint32) error {
			at, _ := slices.BinarySearch(leaf, place)
			leaf[0], leaf[at] = leaf[at], leaf[0]
			_, err := c.Among(leaf, 1)
			return err
		}
	}
	tile := leaves.NewTile(m.Codes, m.found)
	one := make([]uint32, 1)
	return func(leaf []uint32, place uint32) error {
		one[0] = place
		tile.Compare(leaf, one)
		return nil
	}
}

const nowhere = ^uint32(0)

// around appends a place and those of its known neighbors, each once.
func around(leaf []uint32, place uint32, rows, placeOf []uint32) []uint32 {
	leaf = append(leaf, place)
	for _, row := range rows {
		if int(row) < len(placeOf) && placeOf[row] != nowhere {
			leaf = append(leaf, placeOf[row])
		}
	}
	slices.Sort(leaf)
	return slices.Compact(leaf)
}
