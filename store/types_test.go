package store

import (
	"slices"
	"testing"
)

// TestBatches: entries come out as they went in, and no list is cut in two.
func TestBatches(t *testing.T) {
	const places = 2*batchPlaces + 10
	var b Batches
	for p := range uint32(places) {
		for i := range 1 + p%3 {
			b.Add(2*p, p+i, float32(i))
		}
	}
	next := uint32(0)
	for at, l := range b {
		if len(l.Rows) != min(batchPlaces, places-at*batchPlaces) || len(l.Starts) != len(l.Rows)+1 {
			t.Fatalf("batch %d has %d places and %d starts", at, len(l.Rows), len(l.Starts))
		}
		for i, place := range l.Rows {
			p := place / 2
			want := []uint32{p, p + 1, p + 2}[:1+p%3]
			keys := []float32{0, 1, 2}[:1+p%3]
			from, to := l.Starts[i], l.Starts[i+1]
			if p != next || !slices.Equal(l.Neighbors[from:to], want) || !slices.Equal(l.Keys[from:to], keys) {
				t.Fatalf("list %d is of place %d: %v, want %v", next, place, l.Neighbors[from:to], want)
			}
			next++
		}
	}
	if next != places {
		t.Errorf("%d places, want %d", next, places)
	}
}
