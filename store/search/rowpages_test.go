package search

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/walk"
)

// TestWithin: the places of a page are those whose rows lie in it from their first byte to their last, each once.
func TestWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		base, stride, n := rng.IntN(1<<pageShift), 1+rng.IntN(6000), 1+rng.IntN(300)
		for page := range 3 {
			var r rowPages
			r.clear()
			var want []uint32
			for p := range n {
				from := base + p*stride
				if from>>pageShift == page && (from+stride-1)>>pageShift == page {
					if rng.IntN(4) == 0 {
						r.compared.Add(uint32(p))
					} else {
						want = append(want, uint32(p))
					}
				}
			}
			r.within(page<<pageShift-base, stride, n)
			if !slices.Equal(r.others, want) {
				t.Fatalf("page %d, rows of %d bytes from byte %d on: %v, want %v", page, stride, base, r.others, want)
			}
			if r.within(page<<pageShift-base, stride, n); len(r.others) != len(want) {
				t.Fatal("places are compared twice")
			}
		}
	}
}

// TestWalkByCodes: a walk has looked beside all places that it kept; it compares each row at most once, and all rows that
// lie in a page that it read; and its results are the nearest of those compared.
func TestWalkByCodes(t *testing.T) {
	const places = 20_000
	s, err := Open(line(t, places).g, &Options{Budget: 400_000})
	if err != nil || s.coded == nil {
		t.Fatal("no codes: ", err)
	}
	defer s.Close()
	for _, at := range []float32{0, 777.5, 10_000, places - 1} {
		told := map[store.Row]float32{}
		q := Query{K: 5, Effort: 10, Seen: func(row store.Row, key float32) {
			if _, twice := told[row]; twice {
				t.Errorf("row %d is compared twice", row)
			}
			told[row] = key
		}}
		w := newWalker(s)
		if err := s.check(&q); err != nil {
			t.Fatal(err)
		}
		if err := w.begin([]float32{at, 0}, q); err != nil {
			t.Fatal(err)
		}
		if err := w.walk(); err != nil || !w.enough {
			t.Fatal(w.enough, err)
		}
		kept := slices.Clone(w.byCodes.kept.Heap)
		w.arrive()
		for _, e := range kept {
			block := uint32(^e) / blockPlaces
			for b := max(block, 1) - 1; b <= min(block+1, (places-1)/blockPlaces); b++ {
				if !w.byCodes.blocks.Has(b) {
					t.Errorf("place %d is kept, block %d is not looked at", uint32(^e), b)
				}
			}
		}
		pages, rows := map[int]bool{}, (1<<pageShift)/s.stride
		var all []walk.Entry
		for row, key := range told {
			pages[int(s.places[row])/rows] = true
			all = append(all, walk.EntryOf(key, uint32(row)))
		}
		want := 0
		for page := range pages {
			want += min(rows, places-page*rows)
		}
		if len(told) != want || w.evaluations != int64(want) {
			t.Errorf("query %v: %d rows compared, %d counted; %d pages hold %d", at, len(told), w.evaluations, len(pages), want)
		}
		slices.Sort(all)
		if got := w.found.Sorted(); !slices.Equal(got, all[:5]) {
			t.Errorf("query %v: %v, want %v", at, got, all[:5])
		}
	}
}
