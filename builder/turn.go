package builder

import (
	"fmt"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
)

// takeExact goes over to the exact method, which takes up the lists on disk, and gives back the
// memory of the method before it.
func (r *run) takeExact() error {
	r.method.Free()
	r.Screening = points.Screening{Use: r.Use, Fit: r.Fit}
	r.Keyed = false
	r.take(Exact)
	if err := r.Save(); err != nil {
		return err
	}
	if r.Norms == nil {
		var err error
		if r.Norms, err = r.NormsOf(r.Rows); err != nil {
			return err
		}
	}
	if err := r.method.Resume(); err != nil {
		return err
	}
	return r.pairs.Choose(&r.Build)
}

// ahead takes up a state that was recorded before a fold which then came to count.
func (r *run) ahead() error {
	if r.State.Method != string(Balls) {
		return nil
	}
	folded, ok, err := r.Draft.Folded()
	if err != nil || !ok || int(folded) <= len(r.State.Stages) {
		return err
	}
	runs := r.State.Runs // of which this is one more
	known, err := r.Draft.Load(job.AheadRecord, &r.State)
	if err == nil && !known {
		err = fmt.Errorf("builder: lists of %d stages without their state", folded)
	}
	r.State.Runs = runs
	return err
}
