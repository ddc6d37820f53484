package builder

import (
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
