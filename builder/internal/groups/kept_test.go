package groups

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/internal/rowstest"
)

const all = 1 << 30

// TestKeptLeaves: a division that an earlier process found in part or whole, whose file a crash or
// anyone may have changed, is that of a division without a file; what the file has is not found again.
func TestKeptLeaves(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	rows, space := rowstest.Bytes(t, rng, 45_000, 16, 200)
	d := Division{Rows: rows, Space: space, Seed: seed, Overlap: 3, Leaders: 150, GroupBytes: 1 << 20, RowBytes: 64, Threads: 2}
	for _, limit := range []int64{0, 1} { // in memory, and in files
		path := filepath.Join(t.TempDir(), "leaves")
		divide := func(number uint32, keep string) []uint32 {
			d := d
			d.Number, d.Keep, d.Memory = number, keep, &offheap.Ledger{Limit: limit, Dir: t.TempDir()}
			l, err := Divide(context.Background(), d)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Free()
			return slices.Clone(l.assigned.Slice)
		}
		want := [][]uint32{divide(0, ""), divide(1, "")}
		for i, c := range []struct {
			change func() // of the file, before
			number uint32
			lost   int // chunks that the file has not, then; all, or -1: not known
		}{
			{func() {}, 0, all},
			{func() {}, 0, 0},
			{func() { damage(t, path, 7) }, 0, 1},
			{func() { damage(t, path, int64(4*len(want[0]))-1) }, 0, 1},
			{func() { damage(t, path, int64(4*len(want[0]))+keptHead+1) }, 0, 1},
			{func() { shorten(t, path, 8) }, 0, 1},
			{func() {}, 1, all},
			{func() {}, 0, all},
			{func() { shorten(t, path, rng.Int64N(int64(4*len(want[0])))) }, 0, -1},
			{func() { damage(t, path, rng.Int64N(int64(4*len(want[0])))) }, 0, -1},
			{func() {}, 0, 0},
		} {
			c.change()
			if got := lostChunks(t, &d, path, c.number, limit); c.lost >= 0 && got != c.lost {
				t.Errorf("limit %d, case %d: %d chunks are lost, want %d", limit, i, got, c.lost)
			}
			if !slices.Equal(divide(c.number, path), want[c.number]) {
				t.Errorf("limit %d, case %d: other leaves", limit, i)
			}
		}
	}
}

// lostChunks counts those that a file has not of a division; all where it has none.
func lostChunks(t *testing.T, of *Division, path string, number uint32, limit int64) (n int) {
	t.Helper()
	d := *of
	d.Number, d.Keep, d.Memory = number, path, &offheap.Ledger{Limit: limit, Dir: t.TempDir()}
	k, err := openKept(&d)
	if err != nil {
		t.Fatal(err)
	}
	b, err := k.take()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	for _, done := range k.done {
		if !done {
			n++
		}
	}
	if len(k.done) == 0 {
		n = all
	}
	if k.whole() != (n == 0) {
		t.Errorf("%d of %d chunks are lost, and whole is %v", n, len(k.done), k.whole())
	}
	if err := k.close(); err != nil {
		t.Fatal(err)
	}
	return n
}

// damage changes a byte of a file.
func damage(t *testing.T, path string, at int64) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		b[at] ^= 0x55
		err = os.WriteFile(path, b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// shorten cuts bytes off the end of a file.
func shorten(t *testing.T, path string, by int64) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()-by)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestKeptByOtherMemory: leaves that were kept with room in memory are taken where there is none, and the other way
// round, and told as kept.
func TestKeptByOtherMemory(t *testing.T) {
	rows, space := rowstest.Bytes(t, rand.New(rand.NewPCG(7, 1)), 45_000, 16, 200)
	path := filepath.Join(t.TempDir(), "leaves")
	var first []uint32
	for i, limit := range []int64{0, 1, 0} {
		found, kept := 0, 0
		l, err := Divide(context.Background(), Division{Rows: rows, Space: space, Overlap: 3, Leaders: 150, GroupBytes: 1 << 20, RowBytes: 64, Threads: 1,
			Keep: path, Memory: &offheap.Ledger{Limit: limit, Dir: t.TempDir()}, Progress: func(n int) { found += n }, Earlier: func(n int) { kept += n }})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = slices.Clone(l.assigned.Slice)
		}
		if !slices.Equal(first, l.assigned.Slice) {
			t.Errorf("process %d: other leaves", i)
		}
		if want := []int{rows.Len(), 0, 0}[i]; found != want || found+kept != rows.Len() {
			t.Errorf("process %d: %d rows are found and %d kept, want %d found", i, found, kept, want)
		}
		l.Free()
	}
}
