package builder

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/knng/knng/builder/pages"
	"github.com/knng/knng/builder/parts"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/builder/union"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// run is one call of Build: the state as recorded, and everything derived from
// it that lives in memory.
type run struct {
	ctx   context.Context
	opts  Options
	src   *vectors.Input
	given *vectors.Input // src before bad rows were dropped
	draft *store.Draft
	meter *meter
	state state
	rates *plan.Rates // of this machine; nil: not measured

	scratch  string       // folder
	received atomic.Int64 // bytes of rows from streams that are still on disk

	listed
	points
	ownsRows bool // rows is ours to close
	lists    *union.Lists
	steer    *recall.Lists // exact lists of the rows that steer; nil: none do

	pairCache
	method  method
	traits  traits
	spill   atomic.Pointer[parts.Spill] // rows side by side in scratch; nil between batches
	unsaved int                         // latest stages whose lists are in memory alone

	ledger     pages.Ledger // of what grows with the rows
	completing unitCounts   // of the final exact pass
}

func newRun(ctx context.Context, opts Options, src *vectors.Input, space *distance.Space) *run {
	r := &run{ctx: ctx, opts: opts, src: src, given: src}
	r.points = points{space: space, threads: opts.Threads}
	r.fit = r.rounding
	if opts.Distance != nil {
		r.own = r.cachedKeys
	}
	return r
}

// stageNumber is how the store knows the stage in progress.
func (r *run) stageNumber() uint32 { return uint32(len(r.state.Stages) + 1) }

// save records the state.
func (r *run) save() error {
	r.meter.disk(r.onDisk())
	r.state.Usage = r.meter.total()
	return r.draft.Record("state", r.savedState())
}

// savedState is the state without the stages whose lists are not on disk.
func (r *run) savedState() *state {
	if r.unsaved == 0 {
		return &r.state
	}
	s := r.state
	s.Stages, s.Stop = s.Stages[:len(s.Stages)-r.unsaved], ""
	return &s
}

// endStage records a finished stage, measured on the steering rows, and folds
// the lists where their blocks have grown to the size of the lists themselves.
func (r *run) endStage(st stage) error {
	if r.steer != nil {
		st.Recall = meanRecall(r.steer, r.lists)
	}
	r.state.Stages = append(r.state.Stages, st)
	if err := r.save(); err != nil {
		return err
	}
	blocks, err := r.draft.BlockBytes()
	if err != nil || blocks < int64(r.n())*int64(r.k)*8 {
		return err
	}
	return r.fold(uint32(len(r.state.Stages)))
}

func (r *run) fold(stage uint32) error {
	if err := r.roomForFold(r.k); err != nil {
		return err
	}
	return r.foldLists(stage, func(from, to int, l *store.Lists) {
		for place := uint32(from); place < uint32(to); place++ {
			ids, keys := r.lists.List(place)
			l.Append(place, ids, keys)
		}
	})
}

// foldLists writes the lists of all places, as fill appends them, as the fold of a
// stage. The end of the context does not cut it short: it takes a second and keeps the
// work of many.
func (r *run) foldLists(stage uint32, fill func(from, to int, l *store.Lists)) error {
	p := r.begin("fold", "rows", int64(r.n()))
	defer p.End("")
	return r.draft.Fold(stage, func(add func(*store.Lists) error) error {
		return r.inTurn(context.WithoutCancel(r.ctx), r.n(), fill, func(l *store.Lists) error {
			p.Add(len(l.Rows))
			return add(l)
		})
	})
}

// unit is a piece of a stage: work returns the blocks to commit and the counts.
type unitWork func(unit int) ([]store.Lists, unitCounts, error)

// doUnits runs the units of the current stage that are not yet committed, each
// worker making its own work function, and returns the counts of all units,
// earlier runs' included.
func (r *run) doUnits(p *phase, units int, worker func() unitWork) (sum unitCounts, err error) {
	done, sum, err := r.committed(units)
	if err != nil {
		return sum, err
	}
	for _, d := range done {
		if d {
			p.Add(1)
		}
	}
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	var g sync.WaitGroup
	var next atomic.Int64
	var mu sync.Mutex
	for range min(r.opts.Threads, units) {
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
				counts, err := r.doUnit(u, work)
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

func (r *run) doUnit(u int, work unitWork) (unitCounts, error) {
	var blocks []store.Lists
	var counts unitCounts
	err := vectors.Guard(func() (err error) {
		blocks, counts, err = work(u)
		return err
	})
	if err != nil {
		return counts, err
	}
	return counts, r.draft.CommitUnit(r.stageNumber(), uint32(u), blocks, counts)
}

// committed tells which units of the current stage are done and sums them up.
func (r *run) committed(units int) (done []bool, sum unitCounts, err error) {
	done = make([]bool, units)
	err = r.draft.Units(r.stageNumber(), func(unit uint32, note []byte) error {
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
func (r *run) unitCounts(unit int) (c unitCounts, err error) {
	err = r.draft.Units(r.stageNumber(), func(u uint32, note []byte) error {
		if int(u) != unit {
			return nil
		}
		return decodeNote(note, &c)
	})
	return c, err
}
