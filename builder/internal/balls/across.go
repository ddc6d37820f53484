package balls

import (
	"slices"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
)

// partedLeaf is how many halves of a usual leaf those leaves may have that compare only rows of different parts, partedLooks
// how many cells of leaders a row looks into for its leaves, and partedFewer how many of the leaves that are expected the first
// division leaves to others, where keys are known. Of floats known lists are
// compared anew, and larger leaves exceed the pairs of a build.
//
// Such leaves compare half of their pairs or fewer, and most of these are beyond both bounds. So the
// rest of a division weighs more: to find the leaves of rows, to gather these, to offer those that are near. And joins
// take more than divisions for each neighbor. Two halves of
// 1,000,000 SIFT descriptors, quiet, by VNNI: three divisions of four leaves of 2,000 rows, looking into 4 cells, find 0.942 of
// all neighbors, and the merge takes 4.5 s. One division of 12 leaves finds 0.954 in 12 cells, 0.946 in 8, and the merge takes 3.5 and
// 3.7 s; of 12 leaves of 1,500 rows 0.946 and 3.45 s, of 14 of these 0.960, without joins, and 3.2 s; of 16 of 1,000 rows 0.954 and 3.6 s.
const partedLeaf, partedLooks, partedFewer = 3, 12, 2

// parting is the parts of the rows that known lists are of.
type parting struct {
	m  *Method
	of []uint16 // of every place the part, once find has found it; nil: lists are not of parts
}

// keyed reports whether known lists with keys are of several parts.
func (p *parting) keyed() bool { return p.m.keysKnown() && len(p.m.opts.Ends) > 1 }

// leafSize is which size the leaves of a division stay below.
func (p *parting) leafSize() int {
	if p.keyed() {
		return p.m.Set.LeafSize * partedLeaf / 2
	}
	return p.m.Set.LeafSize
}

// fewer is how many of the leaves that are expected the first division leaves to others; 0 where it has those of no other.
func (p *parting) fewer() int {
	switch {
	case p.m.opts.whole():
		return 0
	case p.keyed():
		return partedFewer
	}
	return job.Overlap
}

// across reports whether a division compares only rows of different parts: as long as more
// neighbors of the steering rows are missing across parts than within.
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

// find notes the part of every place.
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
