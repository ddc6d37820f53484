package build

import (
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
)

// Take makes the method with a name the method of the build.
func (b *Build) Take(name string) {
	b.State.Method = name
	b.Method, b.Traits = b.Open(name)
	b.Goal.Propagate = b.Goal.Propagate && b.Traits.Rounds
	b.Use = b.Traits.Codes
}

// TakeUp loads the results of the committed stages, and the norms of the rows.
func (b *Build) TakeUp() (err error) {
	if !b.Traits.InOrder && b.Norms == nil {
		if b.Norms, err = b.NormsOf(b.Rows); err != nil {
			return err
		}
	}
	if err := b.Method.Resume(); err != nil || b.Traits.Overlaps {
		return err
	}
	return b.Remember()
}

// ExactInstead switches the build to the exact method, which continues from the lists on disk. The previous
// method has freed its memory.
func (b *Build) ExactInstead() error {
	b.Method.Free()
	b.Screening = points.Screening{Use: b.Use, Fit: b.Fit}
	b.Keyed = false
	b.Take(job.ExactMethod)
	b.Method.Settle()
	if err := b.Save(); err != nil {
		return err
	}
	return b.TakeUp()
}
