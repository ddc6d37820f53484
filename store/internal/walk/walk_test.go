package walk

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestEntries are in the order of keys, whatever their signs, and give them back.
func TestEntries(t *testing.T) {
	keys := []float32{float32(math.Inf(-1)), -math.MaxFloat32, -2, -1e-40, 0, 1e-40, 0.5, 3, math.MaxFloat32, float32(math.Inf(1))}
	for i, key := range keys {
		e := EntryOf(key, math.MaxUint32)
		if KeyOf(e) != key || uint32(e) != math.MaxUint32 {
			t.Errorf("%v is %v", key, KeyOf(e))
		}
		if i > 0 && EntryOf(key, 0) <= EntryOf(keys[i-1], math.MaxUint32) {
			t.Errorf("%v is not behind %v", key, keys[i-1])
		}
	}
}

// TestNearest: it keeps the entries that sorting gives, with and without entries that stay.
func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var n Nearest
	for range 300 {
		room, keep := rng.IntN(8), uint64(rng.IntN(60))
		if keep < 20 {
			keep = 0
		}
		n.Reset(room, keep)
		var all []Entry
		for range rng.IntN(50) {
			e := 1 + rng.Uint64N(80)
			all = append(all, e)
			if bound := n.Bound(); e <= bound {
				n.Offer(e)
			}
		}
		slices.Sort(all)
		count := min(room, len(all))
		for count < len(all) && all[count] <= keep {
			count++
		}
		if got := n.Sorted(); !slices.Equal(got, all[:count]) {
			t.Fatalf("room %d, keep %d: %v, want %v", room, keep, got, all[:count])
		}
	}
}

// TestHeap sorts.
func TestHeap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	var h Heap
	var all []uint64
	for range 500 {
		e := rng.Uint64N(100)
		h.Push(e)
		all = append(all, e)
	}
	slices.Sort(all)
	for i, want := range all {
		if got := h.Pop(); got != want {
			t.Fatalf("number %d is %d, want %d", i, got, want)
		}
	}
}

// TestVisited: a place is new once a round, through growth.
func TestVisited(t *testing.T) {
	var v Visited
	for range 3 {
		v.Clear()
		rng := rand.New(rand.NewPCG(4, 2))
		seen := map[uint32]bool{}
		for range 20_000 {
			p := uint32(rng.IntN(9000))
			if v.Has(p) != seen[p] || v.Add(p) == seen[p] {
				t.Fatalf("place %d", p)
			}
			seen[p] = true
		}
	}
}

// TestVisitedRows: rows of links give what places one by one do, up to the first No.
func TestVisitedRows(t *testing.T) {
	var v, each Visited
	rng := rand.New(rand.NewPCG(5, 2))
	for range 3 {
		v.Clear()
		each.Clear()
		for range 2000 {
			var links []byte
			var want []uint32
			ended := false
			for range rng.IntN(40) {
				p := rng.Uint32N(9000)
				if rng.IntN(50) == 0 {
					p, ended = No, true
				}
				links = binary.LittleEndian.AppendUint32(links, p)
				if !ended && each.Add(p) {
					want = append(want, p)
				}
			}
			if got := v.AddAll(links, nil); !slices.Equal(got, want) {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	}
}
