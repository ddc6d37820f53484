package layer

import (
	"cmp"
	"math"
	"slices"
)

// maxLinks is the most rows of the tail that are linked to a ref.
const maxLinks = 40

// links lead from every ref to rows of the tail: those in its list, by rank, and those in whose list it has
// the lowest rank. They are derived from the lists each time.
type links struct {
	starts []uint32 // beginnings for every ref, and the end
	counts []uint8
	to     []uint32 // rows of the tail
	enters []uint32 // rows of the tail at which every walk begins
	isles  []uint32 // rows of the tail, one for each island
}

// Links returns the rows of the tail that are linked to a ref.
func (l *Layer) Links(ref uint32) []uint32 {
	from := l.links.starts[ref]
	return l.links.to[from : from+uint32(l.links.counts[ref])]
}

// Enters returns rows of the tail at which every walk begins, one of every sqrt(n) with a list, so that rows
// are found to which nothing leads from the base.
func (l *Layer) Enters() []uint32 { return l.links.enters }

// Islands returns rows of the tail: the first of every island, or, if there are very many, of the largest. An
// island is rows that are near each other and not near the base.
func (l *Layer) Islands() []uint32 { return l.links.isles }

// each calls fn with every possible link, rank by rank.
func (l *Layer) each(fn func(from, row uint32)) {
	for row, at := range l.Anchors {
		if at != NoRef {
			fn(at, uint32(row))
		}
	}
	for rank, more := 0, true; more; rank++ {
		more = false
		for i, ref := range l.Lists.Refs {
			to, _ := l.Lists.At(i)
			if rank >= len(to) {
				continue
			}
			more = true
			if to[rank] >= l.Base {
				fn(ref, to[rank]-l.Base)
			}
			if ref >= l.Base {
				fn(to[rank], ref-l.Base)
			}
		}
	}
}

// Link derives the links.
func (l *Layer) Link() {
	n := int(l.Base) + int(l.Rows)
	k := links{starts: make([]uint32, n+1), counts: make([]uint8, n)}
	l.each(func(from, _ uint32) {
		if k.counts[from] < maxLinks {
			k.counts[from]++
		}
	})
	for i, c := range k.counts {
		k.starts[i+1] = k.starts[i] + uint32(c)
	}
	clear(k.counts)
	k.to = make([]uint32, k.starts[n])
	l.each(func(from, row uint32) {
		start, have := k.starts[from], uint32(k.counts[from])
		if start+have < k.starts[from+1] && !slices.Contains(k.to[start:start+have], row) {
			k.to[start+have] = row
			k.counts[from]++
		}
	})
	l.links = k
	l.enter()
	l.separate()
}

// enter draws the rows at which walks begin, by a hash: every sqrt(n)th row might be of one kind, if kinds
// were put in turn.
func (l *Layer) enter() {
	first, _ := l.Lists.Find(l.Base)
	rows := l.Lists.Refs[first:]
	step := 1
	for step*step < len(rows) {
		step++
	}
	for i := 0; i < len(rows); i += step {
		at := i + int(mixed(uint64(i))%uint64(min(step, len(rows)-i)))
		l.links.enters = append(l.links.enters, rows[at]-l.Base)
	}
}

// mixed spreads numbers over all bits (splitmix64).
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

const (
	nearRanks  = 8   // entries of a list by which a row is connected to others
	minIslands = 256 // a number of islands that may always have a row each
)

// separate finds the islands.
func (l *Layer) separate() {
	above := make([]uint32, l.Rows) // for each row an earlier one of the same island, or itself
	for i := range above {
		above[i] = uint32(i)
	}
	top := func(row uint32) uint32 {
		for above[row] != row {
			above[row] = above[above[row]]
			row = above[row]
		}
		return row
	}
	based := make([]bool, l.Rows) // rows near the base
	for i, ref := range l.Lists.Refs {
		to, _ := l.Lists.At(i)
		for rank, other := range to {
			switch {
			case ref < l.Base && other >= l.Base:
				based[other-l.Base] = true
			case ref < l.Base || rank >= nearRanks:
			case other < l.Base:
				based[ref-l.Base] = true
			default:
				a, b := top(ref-l.Base), top(other-l.Base)
				above[max(a, b)] = min(a, b)
			}
		}
	}
	sizes := make([]int, l.Rows) // of islands, at their first rows
	for row, near := range based {
		if near {
			sizes[top(uint32(row))] = math.MinInt
		}
	}
	first, _ := l.Lists.Find(l.Base)
	for _, ref := range l.Lists.Refs[first:] {
		sizes[top(ref-l.Base)]++
	}
	for row, size := range sizes {
		if size > 0 {
			l.links.isles = append(l.links.isles, uint32(row))
		}
	}
	slices.SortStableFunc(l.links.isles, func(a, b uint32) int { return cmp.Compare(sizes[b], sizes[a]) })
	l.links.isles = l.links.isles[:min(len(l.links.isles), max(minIslands, len(l.links.enters)))]
}
