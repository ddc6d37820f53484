package balls

import (
	"slices"

	"github.com/knng/knng/builder/internal/points"
)

// across reports whether a division compares only rows of different parts: as long as more
// neighbors of the steering rows are missing across parts than within.
func (m *Method) across() (bool, error) {
	if m.opts.Ends == nil || m.Steer == nil {
		return m.opts.Ends != nil, nil
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
func (m *Method) partOf(place uint32) int {
	part, found := slices.BinarySearch(m.opts.Ends, int(m.Order[place]))
	if found {
		part++
	}
	return part
}
