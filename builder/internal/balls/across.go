package balls

import (
	"slices"

	"github.com/knng/knng/builder/internal/points"
)

// partedLeaf is how many times as large the leaves are that compare only rows of different parts, and partedLooks
// how many cells of leaders a row looks into for its leaves, where keys are known. Of floats known lists are
// compared anew, and larger leaves exceed the pairs of a build.
//
// Such leaves compare half of their pairs or fewer, and most of these are beyond both bounds. So the
// rest of a division weighs more: to find the leaves of rows, to gather these, to offer what is near. Two halves of
// 1,000,000 SIFT descriptors, three divisions and then joins, quiet, by AMX: leaves of 1,000, 1,500,
// 2,000 and 3,000 rows find 0.915, 0.934, 0.942 and 0.951 of all neighbors by divisions and take 19.8, 18.1, 14.7
// to 17.5 and 17.7 s of the processor in all, in 3,277, 4,186, 5,159 and 7,184 pairs a row.
const partedLeaf, partedLooks = 2, 4

// across reports whether a division compares only rows of different parts: as long as more
// neighbors of the steering rows are missing across parts than within.
func (m *Method) across() (bool, error) {
	m.findParts()
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
			case m.partOf(place) == m.partOf(other):
				within++
			default:
				beyond++
			}
		}
	}
	return beyond >= within, nil
}

// partOf is the number of the part that a place is of.
func (m *Method) partOf(place uint32) int { return int(m.parts[place]) }

// findParts notes the part of every place.
func (m *Method) findParts() {
	if m.opts.Ends == nil || m.parts != nil {
		return
	}
	m.parts = make([]uint16, m.N())
	for place, row := range m.Order {
		part, found := slices.BinarySearch(m.opts.Ends, int(row))
		if found {
			part++
		}
		m.parts[place] = uint16(part)
	}
}
