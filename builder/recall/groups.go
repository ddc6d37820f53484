package recall

import "slices"

// Groups are groups of rows with the same bytes. One row of each group, at a place, was solved for all. The
// list of a place holds places; the list of a row holds the rows of the groups at these places.
type Groups struct {
	Sizes []uint32 // rows of the group that was solved at each place
	K     int      // neighbors of a row
	Most  int      // rows of one group in a list, as far as others suffice; 0: any number
}

// Keys returns the keys, ascending, of the K nearest other rows to a row of the group at place. near and
// keys are the list of the place, and self is the key of rows within the group.
func (g *Groups) Keys(place uint32, self float32, near []uint32, keys []float32) []float32 {
	most := g.Most
	if most == 0 {
		most = g.K
	}
	var taken, rest []float32
	take := func(key float32, rows int) {
		for i := range min(rows, most+g.K) {
			if i < most {
				taken = append(taken, key)
			} else {
				rest = append(rest, key)
			}
		}
	}
	take(self, int(g.Sizes[place])-1)
	for i, other := range near {
		take(keys[i], int(g.Sizes[other]))
	}
	slices.Sort(taken)
	slices.Sort(rest)
	taken = taken[:min(g.K, len(taken))]
	taken = append(taken, rest[:min(g.K-len(taken), len(rest))]...)
	slices.Sort(taken)
	return taken
}

// InGroups makes Recall measure the list of one of the rows that list i was solved for, instead of list i.
// own returns the key of a place to itself.
func (l *Lists) InGroups(g *Groups, own func(place uint32) float32) {
	l.groups, l.selfs = g, make([]float32, len(l.Places))
	for i, place := range l.Places {
		l.selfs[i] = own(place)
	}
}

// recallOfGroup returns the recall of the list of a row in the group at Places[i].
func (l *Lists) recallOfGroup(i int, neighbors []uint32, keys []float32) float64 {
	place, self := l.Places[i], l.selfs[i]
	near, exact := l.List(i)
	exact = l.groups.Keys(place, self, near, exact)
	if len(exact) == 0 {
		return 1
	}
	bound, found := boundOf(exact, l.Alike), 0
	for _, key := range l.groups.Keys(place, self, neighbors, keys) { // of rows that all differ, none of them the row itself
		if key <= bound {
			found++
		}
	}
	return float64(min(found, len(exact))) / float64(len(exact))
}
