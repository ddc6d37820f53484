package cache

import (
	"math/rand/v2"
	"testing"
)

func TestSeenEqualsPairByPair(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 100 {
		n := 2 + rng.IntN(400)
		c := NewSharedLeaf(n)
		var divisions [][]uint32
		for range rng.IntN(12) {
			labels := make([]uint32, n)
			for i := range labels {
				labels[i] = rng.Uint32N(uint32(1 + rng.IntN(2*n)))
			}
			divisions = append(divisions, labels)
			c.Add(labels)
		}
		places := somePlaces(rng, n)
		var b Bitmap
		got := c.Seen(places, &b)
		var want int64
		for i := range places {
			for j := range places {
				shared := sharedLeaf(divisions, places[i], places[j])
				if bit := b.Bits[i*b.Words+j/64]>>(j%64)&1 == 1; i != j && bit != shared {
					t.Fatalf("seed %d: places %d, %d: bit %v, shared %v", seed, places[i], places[j], bit, shared)
				}
				if i < j && shared {
					want++
				}
			}
		}
		if got != want {
			t.Fatalf("seed %d: %d pairs, want %d", seed, got, want)
		}
	}
}

func somePlaces(rng *rand.Rand, n int) []uint32 {
	var places []uint32
	for p := range n {
		if rng.IntN(3) > 0 {
			places = append(places, uint32(p))
		}
	}
	return places
}

func sharedLeaf(divisions [][]uint32, a, b uint32) bool {
	for _, labels := range divisions {
		if labels[a] == labels[b] {
			return true
		}
	}
	return false
}

func BenchmarkSeen(b *testing.B) {
	const n, divisions = 250, 8
	rng := rand.New(rand.NewPCG(1, 1))
	c := NewSharedLeaf(n)
	places := make([]uint32, n)
	for range divisions {
		labels := make([]uint32, n)
		for i := range labels {
			labels[i], places[i] = rng.Uint32N(4), uint32(i)
		}
		c.Add(labels)
	}
	var bitmap Bitmap
	for b.Loop() {
		c.Seen(places, &bitmap)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*(n-1)/2)/divisions, "ns/pair-division")
}
