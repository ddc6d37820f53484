package build

import (
	"fmt"
	"math"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/tiers"
	"github.com/knng/knng/store"
)

// BlockSide returns the number of rows in a block of the exact method. The plan uses the same number:
// CountCodes assumes codes for all builds except those with the user's own distance.
func (b *Build) BlockSide() int {
	return fixed.BlockSide(int64(len(b.Good)), b.Source.Dim(), b.Own == nil)
}

// tieredRows is the number of rows from which all pairs are compared in tiers. Fewer rows are soon compared
// without tiers, and their tiers have few blocks for threads to share.
const tieredRows = 5000

// tiersNumber is the number of the division under which the tiers are kept. No division has it, nor do the
// groups of identical rows, which have 0.
const tiersNumber = math.MaxInt32

// KeepTiers keeps the tiers until the store is sealed, because the lists that they are made of change while
// rows are compared.
func (b *Build) KeepTiers(t *tiers.Tiers) error {
	return b.Draft.CommitLabels(tiersNumber, t.Of, t)
}

// KeptTiers returns the kept tiers; nil if there are none.
func (b *Build) KeptTiers() (*tiers.Tiers, error) {
	t := new(tiers.Tiers)
	of, ok, err := b.Draft.Labels(tiersNumber, nil, t)
	if err == nil && ok && len(of) != len(b.Good) {
		err = fmt.Errorf("%w: tiers of %d rows, want %d", store.ErrCorrupt, len(of), len(b.Good))
	}
	if err != nil || !ok {
		return nil, err
	}
	t.Of = of
	return t, nil
}

// SettleExact records in a state how the exact method compares all pairs: tier by tier, if other methods have
// found most of the neighbors and the steering rows decide when to stop.
func (b *Build) SettleExact(s *job.State) {
	s.Side = b.BlockSide()
	if s.Count(job.ListsStage) > 0 && b.Tiered() {
		s.Tiers = tiers.Count
	}
}

// Tiered reports whether the exact method would continue tier by tier.
func (b *Build) Tiered() bool {
	return b.Goal.Steered(&b.State) && !b.Goal.Capped() && b.Own == nil && len(b.Good) >= tieredRows
}

const AllInstead = "divisions and joins pay no longer: all pairs are compared"

// KeyedLeaf returns the size of leaves by keys: half of those by codes, as a pair costs more.
func (b *Build) KeyedLeaf() int { return max(b.Set.LeafSize/2, 4*b.Set.K, 4) }
