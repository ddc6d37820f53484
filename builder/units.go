package builder

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// unitCounts is the note that a unit is committed with.
type unitCounts struct {
	Requested int64 `json:"r"`
	Evaluated int64 `json:"e"`
	New       int64 `json:"n,omitempty"`
}

func (c *unitCounts) add(o unitCounts) {
	c.Requested += o.Requested
	c.Evaluated += o.Evaluated
	c.New += o.New
}

// unitWork is a piece of a stage: it returns the blocks to commit and the counts.
type unitWork func(unit int) ([]store.Lists, unitCounts, error)

// doUnits runs the units of the current stage that are not yet committed, each
// worker making its own work function, and returns the counts of all units,
// earlier runs' included.
func (j *job) doUnits(p *progress.Phase, units int, worker func() unitWork) (sum unitCounts, err error) {
	done, sum, err := j.committed(units)
	if err != nil {
		return sum, err
	}
	for _, d := range done {
		if d {
			p.Add(1)
		}
	}
	ctx, cancel := context.WithCancelCause(j.ctx)
	defer cancel(nil)
	var g sync.WaitGroup
	var next atomic.Int64
	var mu sync.Mutex
	for range min(j.threads, units) {
		g.Go(func() {
			work := worker()
			for ctx.Err() == nil {
				u := int(next.Add(1)) - 1
				if u >= units {
					return
				}
				if done[u] {
					continue
				}
				counts, err := j.doUnit(u, work)
				if err != nil {
					cancel(err)
					return
				}
				mu.Lock()
				sum.add(counts)
				mu.Unlock()
				p.Add(1)
			}
		})
	}
	g.Wait()
	return sum, context.Cause(ctx)
}

func (j *job) doUnit(u int, work unitWork) (unitCounts, error) {
	var blocks []store.Lists
	var counts unitCounts
	err := vectors.Guard(func() (err error) {
		blocks, counts, err = work(u)
		return err
	})
	if err != nil {
		return counts, err
	}
	return counts, j.draft.CommitUnit(j.stageNumber(), uint32(u), blocks, counts)
}

// committed tells which units of the current stage are done and sums them up.
func (j *job) committed(units int) (done []bool, sum unitCounts, err error) {
	done = make([]bool, units)
	err = j.draft.Units(j.stageNumber(), func(unit uint32, note []byte) error {
		var c unitCounts
		if err := decodeNote(note, &c); err != nil {
			return err
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

// unitCounts reads the counts of one committed unit of this stage.
func (j *job) unitCounts(unit int) (c unitCounts, err error) {
	err = j.draft.Units(j.stageNumber(), func(u uint32, note []byte) error {
		if int(u) != unit {
			return nil
		}
		return decodeNote(note, &c)
	})
	return c, err
}

func decodeNote(note []byte, c *unitCounts) error {
	if err := json.Unmarshal(note, c); err != nil {
		return fmt.Errorf("%w: unit note %q: %w", store.ErrCorrupt, note, err)
	}
	return nil
}
