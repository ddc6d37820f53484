package copies

import (
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// groupsNumber is the number of the division under which the groups are kept; no division has it.
const groupsNumber = 0

// Groups are the groups of identical rows; the zero value has none.
type Groups struct {
	First  []uint32 // for each input row, the first row with the same bytes; nil: rows do not collapse
	Copies []uint32 // good rows with another row solved for them, by the places of those
}

// Len returns the number of rows with another row solved for them.
func (g *Groups) Len() int { return len(g.Copies) }

// Collapse finds the groups of identical rows, and keeps only the first of each among the good rows of b.
// before is called if the input must be read for that.
func (g *Groups) Collapse(b *build.Build, before func() error) error {
	if err := g.load(b, b.Source, before); err != nil {
		return err
	}
	var solved []uint32
	for _, row := range b.Good {
		switch first := g.First[row]; {
		case first == row:
			solved = append(solved, row)
		case first > row || g.First[first] != first:
			return fmt.Errorf("%w: row %d is a copy of row %d", store.ErrCorrupt, row, first)
		default:
			g.Copies = append(g.Copies, row)
		}
	}
	b.Good = solved
	return nil
}

// Solved returns the row that was solved for each row of the output, in their order, without isolated rows.
func (g *Groups) Solved(b *build.Build) []uint32 {
	has := make([]bool, len(g.First))
	for _, rows := range [][]uint32{b.Good, g.Copies} {
		for _, row := range rows {
			has[row] = true
		}
	}
	solved := make([]uint32, 0, len(b.Good)+len(g.Copies))
	for row, first := range g.First {
		if has[row] {
			solved = append(solved, first)
		}
	}
	return solved
}

// Sizes returns the number of rows for which each place was solved, including its own.
func (g *Groups) Sizes(b *build.Build) []uint32 {
	placeOf := b.PlaceOf(b.Source.Len())
	sizes := make([]uint32, b.N())
	for place := range sizes {
		sizes[place] = 1
	}
	for _, row := range g.Copies {
		sizes[placeOf[g.First[row]]]++
	}
	return sizes
}

// load reads the groups, or finds and records them.
func (g *Groups) load(b *build.Build, src *vectors.Input, before func() error) error {
	first, known, err := b.Draft.Labels(groupsNumber, nil, nil)
	if err == nil && known && len(first) != src.Len() {
		err = fmt.Errorf("%w: groups of %d rows, want %d", store.ErrCorrupt, len(first), src.Len())
	}
	g.First = first
	if err != nil || known {
		return err
	}
	if err := before(); err != nil {
		return err
	}
	p := b.Begin("collapse", "rows", int64(src.Len()))
	defer p.End("")
	if g.First, err = vectors.FirstOf(src, vectors.AuditOptions{Context: b.Ctx, Progress: p.Add, Threads: b.Job.Threads}); err != nil {
		return err
	}
	return b.Draft.CommitLabels(groupsNumber, g.First, nil)
}

// Split returns the part of a store's order with the n solved rows, and keeps the copies.
func (g *Groups) Split(order []uint32, n int) ([]uint32, error) {
	if len(order)-len(g.Copies) != n {
		return nil, fmt.Errorf("%w: order of %d places, want %d", store.ErrCorrupt, len(order), n+len(g.Copies))
	}
	g.Copies = order[n:]
	return order[:n:n], nil
}

// With appends to an order of the good rows the numbers of their copies, numbered among the good rows, and
// sorts the copies in the same order.
func (g *Groups) With(order, good []uint32) []uint32 {
	if len(g.Copies) == 0 {
		return order
	}
	placeOf := make([]uint32, len(order))
	for place, at := range order {
		placeOf[at] = uint32(place)
	}
	byPlace := make([]uint64, len(g.Copies)) // place and row
	for i, row := range g.Copies {
		at, _ := slices.BinarySearch(good, g.First[row])
		byPlace[i] = uint64(placeOf[at])<<32 | uint64(row)
	}
	slices.Sort(byPlace)
	all := slices.Clone(order)
	for i, x := range byPlace {
		g.Copies[i] = uint32(x)
		all = append(all, order[x>>32])
	}
	return all
}
