package refine

import (
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/store"
)

// unitWork does the places from up to to and returns the lists to commit, in blocks, and the
// counts.
type unitWork func(from, to int) ([]store.Lists, job.Counts, error)

// unitRows is the places of a unit: rows that are walked around for some
// seconds, whose offers take some megabytes.
const unitRows = 1024

// doUnits does the units of a stage that are not committed, each goroutine with
// a work function of its own, and returns the counts of all, earlier runs'
// included.
func (r *run) doUnits(name string, worker func() unitWork) (job.Counts, error) {
	size := min(unitRows, max(64, r.N()/16))
	units := (r.N() + size - 1) / size
	p := r.Begin(name, "units", int64(units))
	defer p.End("")
	return r.DoUnits(p, units, func() job.Work {
		work := worker()
		return func(u int) ([]store.Lists, job.Counts, error) { return work(u*size, min((u+1)*size, r.N())) }
	})
}
