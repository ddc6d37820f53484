package store

import (
	"bytes"
	"context"
	"math/bits"
	"testing"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/vectors"
)

// TestKeysOfHugeStores: keys of rows around powers of two sort as the rows do.
func TestKeysOfHugeStores(t *testing.T) {
	var before []byte
	for _, row := range []uint64{0, 1<<31 - 16, 1 << 31, 1<<32 - 16, 1 << 32, 1 << 40} {
		key := key64(nil, tagAdjacency, row/block.Rows)
		if bytes.Compare(key, before) <= 0 || bytes.Compare(key, []byte{tagAdjacency + 1}) >= 0 {
			t.Errorf("row %d: key %x after %x", row, key, before)
		}
		before = key
	}
	before = nil
	for _, place := range []uint32{0, 1<<31 - 1, 1 << 31, vectors.MaxRows - 1} {
		key := key32(tagOrder, place)
		if got, ok := part32(key, 0); bytes.Compare(key, before) <= 0 || got != place || !ok {
			t.Errorf("place %d: key %x after %x, read %d", place, key, before, got)
		}
		before = key
	}
}

// TestTransposeOfHugeStores: the rows of the largest store are shared out among
// few spill files, all of them and in order, with sums beyond 32 bits.
func TestTransposeOfHugeStores(t *testing.T) {
	if bits.UintSize < 64 {
		t.Skip("needs 64-bit integers")
	}
	var rows int64 = vectors.MaxRows
	const k = 64
	s := &Store{shape: Shape{Rows: int(rows), K: k, Lists: int(rows)}}
	tr, err := newTransposer(context.Background(), s, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	groups := (rows + 1<<tr.shift - 1) >> tr.shift
	if groups > maxGroups {
		t.Fatalf("%d groups, want at most %d", groups, maxGroups)
	}
	tr.counts = make([]int64, groups)
	for g := range tr.counts {
		tr.counts[g] = min(rows-int64(g)<<tr.shift, 1<<tr.shift) * k
	}
	tr.plan()
	var arcs, at int64
	for i, sp := range tr.spills {
		if int64(sp.from) != at || sp.to <= sp.from || bytesToSort(sp.arcs, sp.to-sp.from) > tr.memory {
			t.Fatalf("spill %d: %+v, want one from row %d on", i, sp, at)
		}
		at, arcs = int64(sp.to), arcs+sp.arcs
	}
	if at != rows || arcs != rows*k || len(tr.spills) > maxSpills {
		t.Errorf("%d spills of %d rows and %d entries, want %d and %d", len(tr.spills), at, arcs, rows, rows*k)
	}
	if last := tr.spillOf[(rows-1)>>tr.shift]; last != len(tr.spills)-1 {
		t.Errorf("the last row goes to spill %d of %d", last, len(tr.spills))
	}
}
