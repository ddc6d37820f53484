package build

import (
	"github.com/knng/knng/builder/internal/fixed"
)

// BlockSide is how many rows a block of the exact method has.
func (b *Build) BlockSide() int {
	return fixed.BlockSide(int64(len(b.Good)), b.Own == nil)
}

const AllInstead = "divisions and joins pay no longer: all pairs are compared"

// KeyedLeaf is the size of leaves by keys: half of those by codes, as a pair costs more.
func (b *Build) KeyedLeaf() int { return max(b.Set.LeafSize/2, 4*b.Set.K, 4) }
