package build

import (
	"fmt"
	"math"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/tiers"
	"github.com/knng/knng/store"
)

// BlockSide is how many rows a block of the exact method has. The plan has the same: CountCodes says
// of all builds but those under a distance of the user's own that rows have codes.
func (b *Build) BlockSide() int {
	return fixed.BlockSide(int64(len(b.Good)), b.Source.Dim(), b.Own == nil)
}

// tieredRows is the number of rows from which all are compared in tiers: fewer are soon compared all with
// all, and tiers of them have few blocks for threads to share.
const tieredRows = 5000

// tiersNumber is the division under whose number the tiers are kept: no division has it, nor have the
// groups of identical rows, which have 0.
const tiersNumber = math.MaxInt32

// KeepTiers keeps the tiers until the store is sealed: the lists that they are made of change while
// rows are compared.
func (b *Build) KeepTiers(t *tiers.Tiers) error {
	return b.Draft.CommitLabels(tiersNumber, t.Of, t)
}

// KeptTiers returns the tiers that are kept; nil: none are.
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

// SettleExact records in a state how the exact method compares all pairs: tier by tier, where other
// methods have found most of the neighbors and the rows that steer tell when to stop.
func (b *Build) SettleExact(s *job.State) {
	s.Side = b.BlockSide()
	if s.Count(job.ListsStage) > 0 && b.Tiered() {
		s.Tiers = tiers.Count
	}
}

// Tiered reports whether the exact method would go on tier by tier.
func (b *Build) Tiered() bool {
	return b.Goal.Steered(&b.State) && !b.Goal.Capped() && b.Own == nil && len(b.Good) >= tieredRows
}

const AllInstead = "divisions and joins pay no longer: all pairs are compared"

// KeyedLeaf is the size of leaves by keys: half of those by codes, as a pair costs more.
func (b *Build) KeyedLeaf() int { return max(b.Set.LeafSize/2, 4*b.Set.K, 4) }
