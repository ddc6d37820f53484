package copies

import (
	"cmp"
	"slices"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/store/analysis"
)

// Expansion makes the list of every row from those of the solved rows.
type Expansion struct {
	*build.Build
	rows    int      // of the output
	k, most int      // length of a list, most rows of one group in it
	placeOf []uint32 // for each row, the place of the row that was solved for it
	members []uint32 // rows of place p, ascending: members[starts[p]:starts[p+1]]
	starts  []uint32

	groups, list, rest []neighbor
	ids                []uint32
	keys               []float32
}

// Expand returns the expansion of the lists of b to all rows, with lists of k, each with at most so many rows
// of one group; 0: any number.
func (g *Groups) Expand(b *build.Build, rows, k, most int) *Expansion {
	e := &Expansion{Build: b, rows: rows, k: k, most: k, placeOf: b.PlaceOf(rows), starts: make([]uint32, b.N()+1)}
	if most > 0 {
		e.most = min(k, most)
	}
	for _, row := range g.Copies {
		e.placeOf[row] = e.placeOf[g.First[row]]
	}
	for _, place := range e.placeOf {
		if place != points.NoPlace {
			e.starts[place+1]++
		}
	}
	for i := range b.N() {
		e.starts[i+1] += e.starts[i]
	}
	e.members = make([]uint32, b.N()+len(g.Copies))
	next := slices.Clone(e.starts)
	for row, place := range e.placeOf {
		if place != points.NoPlace {
			e.members[next[place]] = uint32(row)
			next[place]++
		}
	}
	return e
}

// of returns the list of a row, nil for an isolated one. The slices are reused.
func (e *Expansion) of(row uint32) ([]uint32, []float32) {
	e.ids, e.keys, e.list = e.ids[:0], e.keys[:0], e.list[:0]
	if place := e.placeOf[row]; place != points.NoPlace {
		e.near(place)
		e.choose(row)
	}
	for _, x := range e.list {
		e.ids, e.keys = append(e.ids, x.row), append(e.keys, x.key)
	}
	return e.ids, e.keys
}

// near collects the groups around a place, including its own, by key.
func (e *Expansion) near(place uint32) {
	e.groups = append(e.groups[:0], neighbor{e.Self(place), e.Order[place], place})
	if e.K > 0 {
		ids, keys := e.Lists.List(place)
		for i, id := range ids {
			e.groups = append(e.groups, neighbor{keys[i], e.Order[id], id})
		}
	}
	slices.SortFunc(e.groups, neighbor.compare)
}

// choose takes the k first rows of the groups, at most most of each; if these are too few, it takes others
// too.
func (e *Expansion) choose(row uint32) {
	e.list, e.rest = e.list[:0], e.rest[:0]
	if e.k == 0 { // there is only one row
		return
	}
	for _, g := range e.groups {
		if len(e.list) >= e.k && g.key > e.list[len(e.list)-1].key {
			break
		}
		taken := 0
		for _, member := range e.members[e.starts[g.place]:e.starts[g.place+1]] {
			x := neighbor{g.key, member, g.place}
			switch {
			case member == row:
				continue
			case taken < e.most:
				e.list = append(e.list, x)
			case taken < e.most+e.k:
				e.rest = append(e.rest, x)
			}
			if taken++; taken == e.most+e.k || len(e.list) >= e.k && taken >= e.most {
				break
			}
		}
	}
	slices.SortFunc(e.list, neighbor.compare)
	if missing := e.k - len(e.list); missing > 0 {
		slices.SortFunc(e.rest, neighbor.compare)
		e.list = append(e.list, e.rest[:missing]...)
		slices.SortFunc(e.list, neighbor.compare)
	}
	e.list = e.list[:e.k]
}

// neighbor is a row, its place or that of the row solved for it, and its key.
type neighbor struct {
	key   float32
	row   uint32
	place uint32
}

// compare orders neighbors by (key, row).
func (x neighbor) compare(y neighbor) int {
	return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.row, y.row))
}

// Write commits the lists of all rows.
func (e *Expansion) Write(p *progress.Phase) error {
	return e.Draft.CommitAdjacency(e.k, func(add func([]uint32, []float32) error) error {
		for row := range e.rows {
			if err := e.Ctx.Err(); err != nil {
				return err
			}
			if err := add(e.of(uint32(row))); err != nil {
				return err
			}
			if row%4096 == 4095 {
				p.Add(4096)
			}
		}
		return nil
	})
}

// Components counts the connected components of the expanded graph, without isolated rows.
func (e *Expansion) Components() int {
	isolated := e.rows - len(e.members)
	return analysis.Components(e.rows, func(yield func(a, b uint32)) {
		for row := range uint32(e.rows) {
			rows, _ := e.of(row)
			for _, other := range rows {
				yield(row, other)
			}
		}
	}) - isolated
}
