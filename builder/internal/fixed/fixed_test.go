package fixed_test

import (
	"testing"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/cache"
	"github.com/knng/knng/vectors/codes"
)

// TestBlocks: blocks are large where all pairs are brief, and else 32 of them keep threads busy.
func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		rows     int64
		dim      int
		screened bool
		want     int
	}{
		{1000, 128, true, 256}, {1000, 20_000, true, 31}, {2000, 20_000, true, 62}, {100, 1 << 20, true, 16},
		{1000, 128, false, 31}, {100, 2, false, 16}, {1 << 20, 2, false, 512}, {20_000, 128, true, 625}, {1 << 20, 2, true, 2048},
	} {
		if got := fixed.BlockSide(c.rows, c.dim, c.screened); got != c.want {
			t.Errorf("%d rows of %d, screened %v: %d to a block, want %d", c.rows, c.dim, c.screened, got, c.want)
		}
	}
}

// TestOtherHomes: numbers that packages below builder have as well are the same.
func TestOtherHomes(t *testing.T) {
	leaves := cache.NewSharedLeaf(1)
	leaves.Add([]uint32{0})
	if got := leaves.Bytes(); got != 4*fixed.LeafNumbers {
		t.Errorf("package cache has room for the numbers of %d divisions, want %d", got/4, fixed.LeafNumbers)
	}
	if got := len(codes.FitSample(1<<30, 1<<16)); got != fixed.FitRows {
		t.Errorf("codes are fitted on %d long rows, want %d", got, fixed.FitRows)
	}
}

// TestLeavesAfterStretches: more leaves are taken where stretches found less or more is wanted, from least to most.
func TestLeavesAfterStretches(t *testing.T) {
	for _, c := range []struct {
		found, wanted float64
		want          int
	}{
		{0.149, 0.875, 12}, {0.149, 0.81, 10}, {0.149, 0.71, 7}, {0.374, 0.875, 4}, {0.374, 0.94, 5}, {0.186, 0.875, 9}, {0.14, 0.875, 12},
		{0, 0.5, 12}, {1, 1, 4}, {0.5, 1, 12},
	} {
		if got := fixed.LeavesAfterStretches(c.found, c.wanted, 4, 12); got != c.want {
			t.Errorf("stretches found %v, wanted are %v: %d leaves, want %d", c.found, c.wanted, got, c.want)
		}
	}
}
