package knn

// A Snapshot remembers the lists of some places and finds the entries added since: those are the
// subgraph block of a leaf.
type Snapshot struct {
	places []uint32
	ids    []uint32
	k      int
	outIDs []uint32
	outKey []float32
}

// Take copies the lists of places. The slice is kept until the next Take.
func (s *Snapshot) Take(l *Lists, places []uint32) {
	s.places, s.k, s.ids = places, l.K, s.ids[:0]
	for _, p := range places {
		s.ids = append(s.ids, l.idsOf(p)...)
	}
}

// Added calls fn with the entries that each list gained since Take; the slices
// are reused. Entries keep their order, so one merge of the old and the new
// list finds them: the rest of the old list is a subsequence of the new.
func (s *Snapshot) Added(l *Lists, fn func(place uint32, ids []uint32, keys []float32)) {
	for i, p := range s.places {
		old := s.ids[i*s.k : (i+1)*s.k]
		ids, keys := l.List(p)
		s.outIDs, s.outKey = s.outIDs[:0], s.outKey[:0]
		for j, id := range ids {
			if len(old) > 0 && old[0] == id {
				old = old[1:]
				continue
			}
			s.outIDs, s.outKey = append(s.outIDs, id), append(s.outKey, keys[j])
		}
		if len(s.outIDs) > 0 {
			fn(p, s.outIDs, s.outKey)
		}
	}
}
