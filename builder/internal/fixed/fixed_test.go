package fixed_test

import (
	"testing"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/cache"
	"github.com/knng/knng/vectors/codes"
)

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
