package layer

import "slices"

// maxLinks is how many rows of the tail are linked to a ref at most.
const maxLinks = 40

// links lead from every ref to rows of the tail: those in its list, by rank, and those in whose
// list it comes first. They are derived from the lists each time.
type links struct {
	starts []uint32 // of every ref, and the end
	counts []uint8
	to     []uint32 // rows of the tail
	enters []uint32 // rows of the tail at which every walk begins
}

// Links are the rows of the tail that are linked to a ref.
func (l *Layer) Links(ref uint32) []uint32 {
	from := l.links.starts[ref]
	return l.links.to[from : from+uint32(l.links.counts[ref])]
}

// Enters are rows of the tail at which every walk begins, so that rows which nothing leads to from
// the base are found: every sqrt(n)th that has a list.
func (l *Layer) Enters() []uint32 { return l.links.enters }

// each calls fn with every link there may be, rank by rank.
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
}

func (l *Layer) enter() {
	first, _ := l.Lists.Find(l.Base)
	rows := l.Lists.Refs[first:]
	step := 1
	for step*step < len(rows) {
		step++
	}
	for i := step / 2; i < len(rows); i += step {
		l.links.enters = append(l.links.enters, rows[i]-l.Base)
	}
}
