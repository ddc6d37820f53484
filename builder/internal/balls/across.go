package balls

import (
	"slices"

	"github.com/knng/knng/builder/internal/points"
)

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
