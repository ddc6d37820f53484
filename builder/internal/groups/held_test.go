package groups

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/internal/rowstest"
)

// TestMeetings: rows that stand in some of consecutive blocks of groups are counted once each, however many groups
// there are.
func TestMeetings(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	for range 30 {
		groups := 1 + rng.IntN(700)
		m := newMeetings(groups)
		if m.blocks > mostBlocks || m.blocks*m.per < groups {
			t.Fatalf("%d blocks of %d for %d groups", m.blocks, m.per, groups)
		}
		rows := make([][]uint32, 500)
		for i := range rows {
			for range 1 + rng.IntN(4) {
				if g := uint32(rng.IntN(groups)); !slices.Contains(rows[i], g) {
					rows[i] = append(rows[i], g)
				}
			}
			m.add(slices.Clone(rows[i]))
		}
		s := stretch{meets: m}
		first := rng.IntN(m.blocks)
		b := Batch{From: first * m.per, To: min(groups, (first+1+rng.IntN(m.blocks-first))*m.per)}
		want := 0
		for _, in := range rows {
			if slices.ContainsFunc(in, func(g uint32) bool { return int(g) >= b.From && int(g) < b.To }) {
				want++
			}
		}
		if got := s.once(b); got != want {
			t.Fatalf("seed %d: %d rows stand in groups %d to %d of %d, want %d", seed, got, b.From, b.To, groups, want)
		}
	}
}

// TestBatchesInMemory take no more than they are given, are as few as that allows, and are on disk where they would
// read the rows more often than a file is worth.
func TestBatchesInMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	rows, space := rowstest.Bytes(t, rng, 20000, 40, 200)
	l, err := Divide(context.Background(), Division{Rows: rows, Space: space, Seed: 3, Overlap: 4, Leaders: 400,
		GroupBytes: 1 << 16, RowBytes: 64, Threads: 2, Memory: &offheap.Ledger{}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Free()
	before := math.MaxInt
	for _, memory := range []int64{0, 1000, 400_000, 800_000, 1_200_000, 2_000_000, 10_000_000} {
		batches := l.Batches(850_000, memory)
		at := 0
		for _, b := range batches {
			if b.From != at || b.To <= b.From || b.inMemory != batches[0].inMemory {
				t.Fatalf("%d bytes: batches %v", memory, batches)
			}
			at = b.To
			if took := l.heldBytes(l.once(b), l.records(b)); b.inMemory && took > memory {
				t.Errorf("batch %v takes %d bytes of %d", b, took, memory)
			}
		}
		if at != l.Groups() {
			t.Errorf("%d bytes: batches end at group %d of %d", memory, at, l.Groups())
		}
		t.Logf("%d bytes: %d batches, in memory: %v", memory, len(batches), batches[0].inMemory)
		switch held := batches[0].inMemory; {
		case memory <= 1000 && held, memory >= 800_000 && !held:
			t.Errorf("%d bytes: %d batches, in memory: %v", memory, len(batches), held)
		case held && len(batches) > before:
			t.Errorf("%d bytes: %d batches, with less memory %d", memory, len(batches), before)
		case held:
			before = len(batches)
		}
	}
	if before != 1 {
		t.Errorf("%d batches where all rows have room", before)
	}
}
