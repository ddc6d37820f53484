package refine

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// unitWork does the places from up to to and returns the lists to commit, in blocks, and the
// counts.
type unitWork func(from, to int) ([]store.Lists, counts, error)

// unitRows is the places of a unit: rows that are walked around for some
// seconds, whose offers take some megabytes.
const unitRows = 1024

// doUnits does the units of a stage that are not committed, each goroutine with
// a work function of its own, and returns the counts of all, earlier runs'
// included.
func (r *run) doUnits(name string, number uint32, worker func() unitWork) (sum counts, err error) {
	size := min(unitRows, max(64, r.n()/16))
	units := (r.n() + size - 1) / size
	done, sum, err := r.committed(number, units)
	if err != nil {
		return sum, err
	}
	p := r.begin(name, "rows", int64(r.n()))
	defer p.End("")
	var mu sync.Mutex
	err = vectors.Ranges(r.opts.Threads, units, 1, func() func(from, to int) error {
		work := worker()
		return func(u, _ int) error {
			from, to := u*size, min((u+1)*size, r.n())
			if !done[u] {
				blocks, c, err := work(from, to)
				if err != nil {
					return err
				}
				if err := r.draft.CommitUnit(number, uint32(u), blocks, c); err != nil {
					return err
				}
				mu.Lock()
				sum.add(c)
				mu.Unlock()
			}
			p.Add(to - from)
			return nil
		}
	})
	return sum, err
}

// committed tells which units of a stage are done and sums them up.
func (r *run) committed(number uint32, units int) (done []bool, sum counts, err error) {
	done = make([]bool, units)
	err = r.draft.Units(number, func(unit uint32, note []byte) error {
		var c counts
		if err := json.Unmarshal(note, &c); err != nil {
			return fmt.Errorf("%w: unit note %q: %w", store.ErrCorrupt, note, err)
		}
		if int(unit) >= units {
			return fmt.Errorf("%w: unit %d, want below %d", store.ErrCorrupt, unit, units)
		}
		done[unit] = true
		sum.add(c)
		return nil
	})
	return done, sum, err
}
