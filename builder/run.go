package builder

import (
	"context"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
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
	job.Job
	opts  Options
	src   *vectors.Input
	given *vectors.Input // src before bad rows were dropped
	rates *plan.Rates    // of this machine; nil: not measured

	listed
	points.Points
	ownsRows bool // rows is ours to close
	lists    *union.Lists
	steer    *recall.Lists // exact lists of the rows that steer; nil: none do

	pairCache
	method     method
	traits     traits
	fewVisits  *bool      // of a search in a tree; nil: not measured
	completing job.Counts // of the final exact pass
}

func newRun(ctx context.Context, opts Options, src *vectors.Input, space *distance.Space) *run {
	r := &run{opts: opts, src: src, given: src}
	r.Job = job.Job{Ctx: ctx, Threads: opts.Threads, OnEvent: opts.Progress,
		Goal: job.Goal{Recall: opts.Recall, Divisions: opts.Divisions, Rounds: opts.Rounds, Propagate: opts.Propagation == On}}
	r.Points = points.Points{Space: space, Threads: opts.Threads}
	r.Fit = r.rounding
	if opts.Distance != nil {
		r.Own = r.cachedKeys
	}
	return r
}

// endStage records a finished stage, measured on the steering rows, and folds
// the lists where their blocks have grown to the size of the lists themselves.
func (r *run) endStage(st job.Stage) error {
	if r.steer != nil {
		st.Recall = meanRecall(r.steer, r.lists)
	}
	r.State.Stages = append(r.State.Stages, st)
	if err := r.Save(); err != nil {
		return err
	}
	blocks, err := r.Draft.BlockBytes()
	if err != nil || blocks < int64(r.N())*int64(r.K)*8 {
		return err
	}
	return r.fold(uint32(len(r.State.Stages)))
}

func (r *run) fold(stage uint32) error {
	if err := r.RoomForFold(r.N(), r.K); err != nil {
		return err
	}
	return r.FoldLists(stage, r.N(), func(from, to int, l *store.Lists) {
		for place := uint32(from); place < uint32(to); place++ {
			ids, keys := r.lists.List(place)
			l.Append(place, ids, keys)
		}
	})
}
