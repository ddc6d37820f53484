package groups

import (
	"bytes"
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// TestRowsFollowTheirNearestLeaders: against distances computed one by one, exactly
// where a row looks into all cells, and elsewhere mostly, even among rows at random.
func TestRowsFollowTheirNearestLeaders(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	right, all := 0, 0
	for range 20 {
		n := 1 + rng.IntN(5000)
		rows, space := rowstest.Bytes(t, rng, n, 1+rng.IntN(20), 2+rng.IntN(200))
		lap := 1 + rng.IntN(6)
		d := Division{Rows: rows, Space: space, Seed: seed, Number: 1, Overlap: lap, Leaders: 1 + rng.IntN(min(n, 3000)),
			GroupBytes: 1 << 20, RowBytes: 64, Threads: 2, Memory: &offheap.Ledger{}}
		cells, err := d.lead(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		by := cells.Leaders()
		l, err := Divide(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		m, err := l.codesOf(rows.Base(), 1)
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			place := rng.IntN(n)
			leaders := make([]int, d.Leaders)
			for i := range leaders {
				leaders[i] = i
			}
			slices.SortStableFunc(leaders, func(a, b int) int {
				x := uint32(place)
				return cmp.Compare(m.DistanceTo(x, by.Codes, by.Places[a]), m.DistanceTo(x, by.Codes, by.Places[b]))
			})
			assigned := l.assigned.Slice[place*l.Overlap : (place+1)*l.Overlap]
			for j, got := range assigned {
				all++
				switch {
				case slices.Contains(leaders[:l.Overlap], int(got)):
					right++
				case division.HeadsOf(d.Leaders) <= division.NearHeads:
					t.Fatalf("seed %d: place %d, leader %d is %d, want %d", seed, place, j, got, leaders[j])
				case slices.Contains(assigned[:j], got):
					t.Fatalf("seed %d: place %d follows leader %d twice", seed, place, got)
				}
			}
		}
		l.Free()
	}
	if t.Logf("%d of %d leaders are among the nearest", right, all); right < all*6/10 {
		t.Errorf("only %d of %d leaders are among the nearest", right, all)
	}
}

// TestSpillHoldsEveryLeaf: whatever the size of groups and batches, and however many goroutines
// write, a group that is read has the rows of its leaves, each row once, and all groups together every row
// in as many leaves as asked.
func TestSpillHoldsEveryLeaf(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	ctx := context.Background()
	var group Group
	onDisk, inMemory, several := 0, 0, 0
	for i := range 20 {
		n := 1 + rng.IntN(9000)
		rows, space := rowstest.Bytes(t, rng, n, 1+rng.IntN(20), 1+rng.IntN(200))
		l, err := Divide(ctx, Division{Rows: rows, Space: space, Seed: seed, Overlap: 1 + rng.IntN(6), Leaders: 1 + rng.IntN(min(n, 500)),
			GroupBytes: int64(rng.IntN(1 << 20)), RowBytes: 64, Threads: 1 + rng.IntN(6), Memory: &offheap.Ledger{Limit: []int64{1, 0, 0, 1 + rng.Int64N(1<<20)}[i%4], Dir: t.TempDir()}})
		if err != nil {
			t.Fatal(err)
		}
		met := make([]int, n)
		sizes := l.leafSizes()
		room := l.Memory.Room()
		if i%4 == 1 {
			room = l.heldBytes(n, l.records(Batch{To: l.Groups()})) * 2 / 3
		}
		batches := l.Batches(int64(rng.IntN(n*rows.Dim()+1)), room)
		if len(batches) > 1 && batches[0].inMemory {
			several++
		}
		for _, batch := range batches {
			spill, err := l.Spill(ctx, batch, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if spill.Bytes() > 0 {
				onDisk++
			} else {
				inMemory++
			}
			for g := batch.From; g < batch.To; g++ {
				if err := spill.Read(g, &group); err != nil {
					t.Fatal(err)
				}
				checkGroup(t, rows, &group)
				if len(group.Places) != l.groupRows[g] {
					t.Fatalf("seed %d: group %d has %d rows, want %d", seed, g, len(group.Places), l.groupRows[g])
				}
				for i := range group.Leaves() {
					leaf := group.Leaf(i)
					if want := int(sizes[int(l.groups[g].from)+i]); len(leaf) != want {
						t.Fatalf("seed %d: a leaf has %d rows, want %d", seed, len(leaf), want)
					}
					for _, number := range leaf {
						met[group.Places[number]]++
					}
				}
			}
			spill.Close()
		}
		for place, times := range met {
			if times != l.Overlap {
				t.Fatalf("seed %d: place %d stands in %d leaves, want %d", seed, place, times, l.Overlap)
			}
		}
		mean := max(1, cutAt*n*l.Overlap/l.Leaders)
		if l.Largest() > mean {
			t.Fatalf("seed %d: a leaf of %d rows, want at most %d", seed, l.Largest(), mean)
		}
		l.Free()
		if held := l.Memory.Used() + l.Memory.Disk(); held != 0 {
			t.Fatalf("seed %d: %d bytes are held by nobody", seed, held)
		}
	}
	if onDisk == 0 || inMemory == 0 || several == 0 {
		t.Errorf("%d batches on disk, %d in memory, %d divisions with several of these: want some of each", onDisk, inMemory, several)
	}
}

func checkGroup(t *testing.T, rows *vectors.Rows, g *Group) {
	t.Helper()
	if !slices.IsSorted(g.Places) || len(slices.Compact(slices.Clone(g.Places))) != len(g.Places) {
		t.Fatal("places do not ascend")
	}
	for i, place := range g.Places {
		if !bytes.Equal(g.Rows[i*rows.Dim():(i+1)*rows.Dim()], rows.Row(int(place))) {
			t.Fatalf("row of place %d is another", place)
		}
	}
	for i := range g.Leaves() {
		if !slices.IsSorted(g.Leaf(i)) {
			t.Fatalf("leaf %d does not ascend", i)
		}
	}
}

// TestLeadersInProportion: leaves have a thousand rows, however many rows there are.
func TestLeadersInProportion(t *testing.T) {
	for n, want := range map[int]int{10_000: 400, 1_000_000: 4000, 20_000_000: 80_000, 1_000_000_000: 4_000_000} {
		if got := Leaders(n, 10, 4); got != want {
			t.Errorf("%d leaders for %d rows, want %d", got, n, want)
		}
	}
}

// TestThreadsAndMemoryDoNotMatter to who stands where, nor to the leaves of a group, where rows that
// are many of one leader are cut.
func TestThreadsAndMemoryDoNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	rows, space := rowstest.Bytes(t, rng, 20000, 2, 3)
	divide := func(threads int, memory *offheap.Ledger) (leaves [][]uint32) {
		l, err := Divide(context.Background(), Division{Rows: rows, Space: space, Rounding: codes.Rounding{}, Seed: 3, Overlap: 4,
			Leaders: Leaders(20000, 10, 4), GroupBytes: 1 << 20, RowBytes: 64, Threads: threads, Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Free()
		spill, err := l.Spill(context.Background(), Batch{0, l.Groups(), memory.Limit == 0}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer spill.Close()
		var group Group
		for g := range l.Groups() {
			if err := spill.Read(g, &group); err != nil {
				t.Fatal(err)
			}
			for i := range group.Leaves() {
				leaf := slices.Clone(group.Leaf(i))
				for j, number := range leaf {
					leaf[j] = group.Places[number]
				}
				leaves = append(leaves, leaf)
			}
		}
		return append(leaves, slices.Clone(l.assigned.Slice))
	}
	if !slices.EqualFunc(divide(1, &offheap.Ledger{}), divide(3, &offheap.Ledger{Limit: 1, Dir: t.TempDir()}), slices.Equal) {
		t.Error("other leaves")
	}
}
