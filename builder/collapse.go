package builder

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/analysis"
	"github.com/knng/knng/vectors"
)

// Collapsing duplicates: of identical rows the first is solved, and all passes
// between audit and finish know only those. Their places come first, those of
// the copies after them, so that the finished store has all rows. Lists are
// expanded where the adjacency is written.
//
// With k distinct rows in a list nothing is lost: whatever stands in a group
// that is not listed comes after the first rows of the k that are.

// groupsNumber is the division under whose number the groups are kept; no
// division has it.
const groupsNumber = 0

// collapse finds the groups of identical rows, and leaves the first of each among
// the good rows.
func (r *run) collapse() error {
	if r.opts.Duplicates != Collapse {
		return nil
	}
	if err := r.loadGroups(); err != nil {
		return err
	}
	var solved []uint32
	for _, row := range r.Good {
		switch first := r.first[row]; {
		case first == row:
			solved = append(solved, row)
		case first > row || r.first[first] != first:
			return fmt.Errorf("%w: row %d is a copy of row %d", store.ErrCorrupt, row, first)
		default:
			r.copies = append(r.copies, row)
		}
	}
	r.Good = solved
	return nil
}

// loadGroups reads the groups, or finds and records them.
func (r *run) loadGroups() error {
	first, known, err := r.Draft.Labels(groupsNumber, nil, nil)
	if err == nil && known && len(first) != r.src.Len() {
		err = fmt.Errorf("%w: groups of %d rows, want %d", store.ErrCorrupt, len(first), r.src.Len())
	}
	r.first = first
	if err != nil || known {
		return err
	}
	if err := r.enoughToCollapse(); err != nil {
		return err
	}
	p := r.Begin("collapse", "rows", int64(r.src.Len()))
	defer p.End("")
	if r.first, err = vectors.FirstOf(r.src, vectors.AuditOptions{Context: r.Ctx, Progress: p.Add, Threads: r.opts.Threads}); err != nil {
		return err
	}
	return r.Draft.CommitLabels(groupsNumber, r.first, nil)
}

// loadOrder reads the order, where there is one, and parts it from the copies. In
// parts rows stay in their order, and nothing collapses.
func (r *run) loadOrder() (err error) {
	if r.traits.inOrder {
		var places int
		ordered, err := r.Draft.Load("order", &places)
		if ordered {
			r.Order = r.Good
		}
		return err
	}
	if r.Order, err = r.Draft.Order(); err != nil || r.Order == nil {
		return err
	}
	n := len(r.Order) - len(r.copies)
	if n != len(r.Good) {
		return fmt.Errorf("%w: order of %d places, want %d", store.ErrCorrupt, len(r.Order), len(r.Good)+len(r.copies))
	}
	r.copies = r.Order[n:]
	r.Order = r.Order[:n:n]
	return nil
}

// withCopies appends to an order of the solved rows the ones that the copies
// repeat, and brings the copies into the same order. The order counts rows among
// the good ones.
func (r *run) withCopies(order []uint32) []uint32 {
	if len(r.copies) == 0 {
		return order
	}
	placeOf := make([]uint32, len(order))
	for place, at := range order {
		placeOf[at] = uint32(place)
	}
	byPlace := make([]uint64, len(r.copies)) // place and row
	for i, row := range r.copies {
		at, _ := slices.BinarySearch(r.Good, r.first[row])
		byPlace[i] = uint64(placeOf[at])<<32 | uint64(row)
	}
	slices.Sort(byPlace)
	all := slices.Clone(order)
	for i, x := range byPlace {
		r.copies[i] = uint32(x)
		all = append(all, order[x>>32])
	}
	return all
}

// listLength is the length of the lists of the finished graph.
func (r *run) listLength() int {
	return min(r.opts.K, r.N()+len(r.copies)-1)
}

// expansion makes the list of every row from those of the solved ones.
type expansion struct {
	*run
	k, most int      // length of a list, most rows of one group in it
	placeOf []uint32 // of each row: where the row stands that was solved for it
	members []uint32 // rows of place p, ascending: members[starts[p]:starts[p+1]]
	starts  []uint32

	groups, list, rest []neighbor
	ids                []uint32
	keys               []float32
}

func (r *run) expansion() *expansion {
	e := &expansion{run: r, k: r.listLength(), placeOf: r.placeOf(), starts: make([]uint32, r.N()+1)}
	e.most = e.k
	if r.opts.Copies > 0 {
		e.most = min(e.k, r.opts.Copies)
	}
	for _, row := range r.copies {
		e.placeOf[row] = e.placeOf[r.first[row]]
	}
	for _, place := range e.placeOf {
		if place != noPlace {
			e.starts[place+1]++
		}
	}
	for i := range r.N() {
		e.starts[i+1] += e.starts[i]
	}
	e.members = make([]uint32, r.N()+len(r.copies))
	next := slices.Clone(e.starts)
	for row, place := range e.placeOf {
		if place != noPlace {
			e.members[next[place]] = uint32(row)
			next[place]++
		}
	}
	return e
}

// of returns the list of a row, none for an isolated one. The slices are reused.
func (e *expansion) of(row uint32) ([]uint32, []float32) {
	e.ids, e.keys, e.list = e.ids[:0], e.keys[:0], e.list[:0]
	if place := e.placeOf[row]; place != noPlace {
		e.near(place)
		e.choose(row)
	}
	for _, x := range e.list {
		e.ids, e.keys = append(e.ids, x.row), append(e.keys, x.key)
	}
	return e.ids, e.keys
}

// near gathers the groups around a place, its own among them, by key.
func (e *expansion) near(place uint32) {
	own := e.Rows.Row(int(place))
	e.groups = append(e.groups[:0], neighbor{e.Space.Key(own, own, e.Norm(place), e.Norm(place)), e.Order[place], place})
	if e.run.K > 0 {
		ids, keys := e.Lists.List(place)
		for i, id := range ids {
			e.groups = append(e.groups, neighbor{keys[i], e.Order[id], id})
		}
	}
	slices.SortFunc(e.groups, neighbor.compare)
}

// choose takes the k first rows of the groups, at most most of each; where those
// are too few, of the others too.
func (e *expansion) choose(row uint32) {
	e.list, e.rest = e.list[:0], e.rest[:0]
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

// neighbor is a row, where it stands, or the row solved for it, and its key.
type neighbor struct {
	key   float32
	row   uint32
	place uint32
}

// compare orders neighbors by (key, row).
func (x neighbor) compare(y neighbor) int {
	return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.row, y.row))
}

// writeExpanded commits the lists of all rows.
func (r *run) writeExpanded(p *phase) error {
	e := r.expansion()
	return r.Draft.CommitAdjacency(e.k, func(add func([]uint32, []float32) error) error {
		for row := range r.outputRows() {
			if err := r.Ctx.Err(); err != nil {
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

// expandedComponents counts the connected components of the expanded graph.
func (r *run) expandedComponents() int {
	e := r.expansion()
	isolated := r.outputRows() - len(e.members)
	return analysis.Components(r.outputRows(), func(yield func(a, b uint32)) {
		for row := range uint32(r.outputRows()) {
			rows, _ := e.of(row)
			for _, other := range rows {
				yield(row, other)
			}
		}
	}) - isolated
}
