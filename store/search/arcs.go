package search

import (
	"sync"
)

// keptArcs holds the arcs into a window of places in memory, and the lists of these places.
type keptArcs struct {
	first, last, size int // first and last of the window, size of a range
	listed            int
	lists             []uint32 // listed places of each place; noLink after the last, and for entries that make no link
	readers           []*arcSharer
	united            union // nil: islands are not searched for
}

// An arcSharer distributes the arcs of the lists that one goroutine reads.
type arcSharer struct {
	*keptArcs
	ranges [][][]arc // chunks of each range
}

// chunkArcs is the number of arcs in a chunk: 4 KiB, so that chunks in progress are small and their number
// costs little.
const chunkArcs = 512

// keepArcs reads all lists, and keeps those of the window and the arcs into it.
func (m *maker) keepArcs(first, last, size int) (*keptArcs, error) {
	k := &keptArcs{first: first, last: last, size: size, listed: m.listed, lists: make([]uint32, (last-first)*m.listed)}
	if m.once() {
		k.united = newUnion(m.identity.places)
	}
	var mu sync.Mutex
	n, told := m.identity.places, 0
	_, each, _ := m.stepsOf()
	err := m.eachList(func() func(int, []uint32) error {
		s := &arcSharer{k, make([][][]arc, (last-first+size-1)/size)}
		mu.Lock()
		defer mu.Unlock()
		k.readers = append(k.readers, s)
		return s.take
	}, func(places int) {
		part := int(int64(places) * int64(last-first) / int64(n))
		mu.Lock()
		told += part
		mu.Unlock()
		m.tell(each * part)
	})
	m.tell(each * (last - first - told)) // the rest, as parts are rounded down
	m.united = k.united
	return k, err
}

// take takes a list and its arcs, as far as they are in the window.
func (s *arcSharer) take(place int, list []uint32) error {
	if s.united != nil {
		s.united.unite(uint32(place), list)
	}
	if place >= s.first && place < s.last {
		kept := s.lists[(place-s.first)*s.listed:][:s.listed]
		for i := copy(kept, list); i < len(kept); i++ {
			kept[i] = noLink
		}
	}
	for rank, to := range list {
		if to == noLink || int(to) < s.first || int(to) >= s.last {
			continue
		}
		number := (int(to) - s.first) / s.size
		chunks := s.ranges[number]
		if len(chunks) == 0 || len(chunks[len(chunks)-1]) == chunkArcs {
			chunks = append(chunks, make([]arc, 0, chunkArcs))
			s.ranges[number] = chunks
		}
		last := &chunks[len(chunks)-1]
		*last = append(*last, arcOf((int(to)-s.first)%s.size, uint32(place), incoming+rank))
	}
	return nil
}

func (k *keptArcs) arcsOf(from int, take func([]arc)) error {
	number := (from - k.first) / k.size
	for _, reader := range k.readers {
		for _, chunk := range reader.ranges[number] {
			take(chunk)
		}
		reader.ranges[number] = nil // each range is requested once
	}
	return nil
}

func (k *keptArcs) listOf(place int, _ *listReader) ([]uint32, error) {
	return k.lists[(place-k.first)*k.listed:][:k.listed], nil
}
