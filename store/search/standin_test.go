package search

import (
	"math"
	"testing"

	"github.com/knng/knng/store/internal/walk"
)

// TestStandIn: a walk without the row that leads an island begins in that island at another row, and not where it has another leader.
func TestStandIn(t *testing.T) {
	const each, apart = 12, 1000
	s := along(t, 200*each, func(i int) float32 { return float32(apart*(i/each) + i%each) })
	leaders, alone := s.links.leaders, 0
	for i, l := range leaders {
		others := i > 0 && leaders[i-1].island == l.island || i+1 < len(leaders) && leaders[i+1].island == l.island
		w := newWalker(s)
		query := []float32{float32(apart*(int(s.order[l.place])/each) + int(s.order[l.place])%each), 0}
		q := Query{K: 3, Effort: 3, hidden: l.place, isHidden: true}
		if err := s.check(&q); err != nil {
			t.Fatal(err)
		}
		if err := w.begin(query, q); err != nil {
			t.Fatal(err)
		}
		e := w.standIn(i)
		if others {
			if e != math.MaxUint64 {
				t.Fatalf("leader %d of several stands in as %d", i, uint32(e))
			}
			continue
		}
		alone++
		other := uint32(e)
		if other == l.place || int(s.order[other])/each != int(s.order[l.place])/each || walk.KeyOf(e) < 1 {
			t.Fatalf("leader %d, place %d: place %d stands in, at %v", i, l.place, other, walk.KeyOf(e))
		}
		if err := w.walk(); err != nil {
			t.Fatal(err)
		}
		for _, e := range w.found.Heap {
			if row := s.order[uint32(^e)]; ^e>>32 == 0 || uint32(^e) == l.place || int(row)/each != int(s.order[l.place])/each {
				t.Fatalf("leader %d: found row %d", i, row)
			}
		}
	}
	if alone == 0 {
		t.Error("every island has several leaders")
	}
}
