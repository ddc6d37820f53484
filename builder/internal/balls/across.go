package balls

import (
	"slices"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
)

// These hold for known lists with keys, in divisions that compare only rows of different parts. partedLeaf is
// the largest size of a leaf, in halves of the usual size; partedLooks is the number of cells of leaders that
// a row looks into for its leaves; partedFewer is how many leaves fewer than expected the first division has.
// They do not hold for floats: their known lists are compared anew, and larger leaves exceed the pairs of a
// build.
//
// Such leaves compare half of their pairs or fewer, and most of these are beyond both bounds. So the rest of
// a division weighs more: finding the leaves of rows, gathering rows, offering the near pairs. And joins take
// more than divisions per neighbor. Two halves of 1,000,000 SIFT descriptors, quiet machine, with VNNI: three
// divisions of four leaves of 2,000 rows, looking into 4 cells, find 0.942 of all neighbors, and the merge
// takes 4.5 s. One division of 12 leaves finds 0.954 with 12 cells and 0.946 with 8, and the merge takes 3.5
// and 3.7 s. With 12 leaves of 1,500 rows it is 0.946 and 3.45 s; with 14 of these 0.960, without joins, and
// 3.2 s; with 16 of 1,000 rows 0.954 and 3.6 s.
const partedLeaf, partedLooks, partedFewer = 3, 12, 2

// parting holds the parts of the rows whose lists are known.
type parting struct {
	m  *Method
	of []uint16 // the part of every place, set by find; nil if the lists are not of parts
}

// keyed reports whether the known lists have keys and are of several parts.
func (p *parting) keyed() bool { return p.m.keysKnown() && len(p.m.opts.Ends) > 1 }

// leafSize returns the bound on the size of the leaves.
func (p *parting) leafSize() int {
	if p.keyed() {
		return p.m.Set.LeafSize * partedLeaf / 2
	}
	return p.m.Set.LeafSize
}

// fewer returns how many of the expected leaves the first division leaves to later ones; 0 if it replaces no
// other.
func (p *parting) fewer() int {
	switch {
	case p.m.opts.whole():
		return 0
	case p.keyed():
		return partedFewer
	}
	return job.Overlap
}

// across reports whether a division compares only rows of different parts: while the steering rows miss more
// neighbors across parts than within.
func (p *parting) across() (bool, error) {
	m := p.m
	p.find()
	if many := len(m.opts.Ends) > 1; !many || m.Steer == nil {
		return many, nil
	}
	within, beyond := 0, 0
	exact := points.NewRanker(&m.Points, m.found)
	for i, place := range m.Steer.Places {
		found, _, err := exact.List(place)
		if err != nil {
			return false, err
		}
		near, _ := m.Steer.List(i)
		for _, other := range near {
			switch {
			case slices.Contains(found, other):
			case p.of[place] == p.of[other]:
				within++
			default:
				beyond++
			}
		}
	}
	return beyond >= within, nil
}

// find sets the part of every place.
func (p *parting) find() {
	m := p.m
	if m.opts.Ends == nil || p.of != nil {
		return
	}
	p.of = make([]uint16, m.N())
	for place, row := range m.Order {
		part, found := slices.BinarySearch(m.opts.Ends, int(row))
		if found {
			part++
		}
		p.of[place] = uint16(part)
	}
}
