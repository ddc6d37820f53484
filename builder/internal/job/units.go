package job

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

// Counts is the note of a committed unit.
type Counts struct {
	Requested int64 `json:"r"`
	Evaluated int64 `json:"e"`
	New       int64 `json:"n,omitempty"`
}

func (c *Counts) Add(o Counts) {
	c.Requested += o.Requested
	c.Evaluated += o.Evaluated
	c.New += o.New
}

// ScanRate returns the evaluated pairs as a share of all pairs of n rows.
func (c *Counts) ScanRate(n int) float64 {
	if n < 2 {
		return 0
	}
	return float64(c.Evaluated) / (float64(n) * float64(n-1) / 2)
}

// Work is a piece of a stage: it returns the blocks to commit and the counts.
type Work func(unit int) ([]store.Lists, Counts, error)

// DoUnits runs the units of the current stage that are not committed, and returns the counts of all units,
// including those of earlier runs. Every goroutine makes its own work function.
func (j *Job) DoUnits(p *progress.Phase, units int, worker func() Work) (sum Counts, err error) {
	done, sum, err := j.Committed(units)
	if err != nil {
		return sum, err
	}
	for _, d := range done {
		if d {
			p.Earlier(1)
		}
	}
	ctx, cancel := context.WithCancelCause(j.Ctx)
	defer cancel(nil)
	var g sync.WaitGroup
	var next atomic.Int64
	var mu sync.Mutex
	for range min(j.Threads, units) {
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
				sum.Add(counts)
				mu.Unlock()
				p.Add(1)
			}
		})
	}
	g.Wait()
	return sum, context.Cause(ctx)
}

func (j *Job) doUnit(u int, work Work) (Counts, error) {
	var blocks []store.Lists
	var counts Counts
	err := vectors.Guard(func() (err error) {
		blocks, counts, err = work(u)
		return err
	})
	if err != nil {
		return counts, err
	}
	if err := j.Draft.CommitUnit(j.StageNumber(), uint32(u), blocks, counts); err != nil {
		return counts, err
	}
	j.Keep()
	return counts, nil
}

// Committed returns which units of the current stage are done, and the sum of their counts.
func (j *Job) Committed(units int) (done []bool, sum Counts, err error) {
	done = make([]bool, units)
	err = j.Draft.Units(j.StageNumber(), func(unit uint32, note []byte) error {
		var c Counts
		if err := decodeNote(note, &c); err != nil {
			return err
		}
		if int(unit) >= units {
			return fmt.Errorf("%w: unit %d, want below %d", store.ErrCorrupt, unit, units)
		}
		done[unit] = true
		sum.Add(c)
		return nil
	})
	return done, sum, err
}

// UnitCounts returns the counts of one committed unit of this stage.
func (j *Job) UnitCounts(unit int) (c Counts, err error) {
	err = j.Draft.Units(j.StageNumber(), func(u uint32, note []byte) error {
		if int(u) != unit {
			return nil
		}
		return decodeNote(note, &c)
	})
	return c, err
}

func decodeNote(note []byte, c *Counts) error {
	if err := json.Unmarshal(note, c); err != nil {
		return fmt.Errorf("%w: unit note %q: %w", store.ErrCorrupt, note, err)
	}
	return nil
}
