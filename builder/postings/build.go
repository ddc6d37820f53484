package postings

import (
	"context"
	"errors"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/builder/internal/stopped"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/sparse"
)

// Build builds the exact k-NN graph of sparse rows into the store at dir. Called again with the same options
// after an interruption, it continues. src stays open and belongs to the caller. Build takes these options:
// K, Metric (Cosine or IP), BadRows, IDs, Threads, Memory, Scratch, Progress and Logger.
//
// Cancelling ctx stops cleanly and returns ctx's error, with its cause. When dir already holds the finished
// graph of these options, Build returns its stored Result and store.ErrFinished. Errors to
// test: store.ErrSparse for options that sparse rows do not have, store.ErrMismatch,
// store.ErrLocked, store.ErrNotStore, builder.ErrBadRows, builder.ErrMemory, builder.ErrSpace,
// vectors.ErrFault.
func Build(ctx context.Context, dir string, src *sparse.Source, opts builder.Options) (result *builder.Result, err error) {
	defer func() { err = limits.Space(stopped.Error(ctx, err)) }()
	if err := Validate(opts); err != nil {
		return nil, err
	}
	opts = defaults(opts)
	manifest, err := manifestOf(src, &opts)
	if err != nil {
		return nil, err
	}
	draft, err := store.OpenDraft(dir, manifest, &store.DraftOptions{Scratch: opts.Scratch, Logger: opts.Logger, CacheBytes: min(8<<20, opts.Memory/32), Early: store.Early, Context: ctx})
	if errors.Is(err, store.ErrFinished) {
		result, failed := finished(ctx, dir, src)
		if failed != nil {
			return nil, failed
		}
		return result, err
	}
	if err != nil {
		return nil, err
	}
	defer draft.Close() // the build's own error is the one that counts
	r := newRun(ctx, draft, src, opts)
	defer r.release()
	err = vectors.Guard(func() (err error) {
		result, err = r.build()
		return err
	})
	if errors.Is(err, builder.ErrBadRows) || errors.Is(err, builder.ErrMemory) && r.nothingMade() {
		err = errors.Join(err, draft.Discard())
	}
	return result, err
}

// run is one call of Build.
type run struct {
	job.Job
	opts  builder.Options
	src   *sparse.Source
	audit findings

	rows    *sparse.Rows
	order   []uint32 // the row at each place, ascending
	k       int      // length of lists
	outputs int      // rows of the graph, isolated ones included
	index   *index
	weights weights

	slabRows int // of a slab; 0: as many as suit the rows. Tests set it
}

// copyAgain is the number of nonzeros up to which a refused build is deleted with its copy of the rows:
// copying so few again is cheap.
const copyAgain = 1 << 27

// nothingMade reports whether the build has made nothing but a copy of a small input.
func (r *run) nothingMade() bool { return len(r.State.Stages) == 0 && r.src.Nonzeros() <= copyAgain }

func newRun(ctx context.Context, draft *store.Draft, src *sparse.Source, opts builder.Options) *run {
	r := &run{opts: opts, src: src}
	r.Job = job.Job{Ctx: ctx, Threads: opts.Threads, OnEvent: opts.Progress, Draft: draft}
	return r
}

func (r *run) release() {
	if r.index != nil {
		r.index.close()
	}
	if r.rows != nil {
		r.rows.Close()
	}
}

// build goes through the passes of the package comment.
func (r *run) build() (*builder.Result, error) {
	resumed, err := r.LoadState()
	if err != nil {
		return nil, err
	}
	if r.Scratch, err = r.Draft.ScratchDir(); err != nil {
		return nil, err
	}
	defer r.Watch()()
	defer r.Publish()()
	if result, ready, err := r.sealing(); ready || err != nil {
		return result, err
	}
	if err := r.CountRun(); err != nil {
		return nil, err
	}
	r.State.Method = string(builder.Exact)
	if resumed {
		r.Say("resuming after %d finished stages", len(r.State.Stages))
	}
	for _, pass := range []func() error{r.layout, r.commitIDs, r.compare} {
		if err := pass(); err != nil {
			return nil, err
		}
	}
	return r.finish()
}

// sealing finishes a build that was interrupted while its store was sealed.
func (r *run) sealing() (result *builder.Result, ready bool, err error) {
	result = new(builder.Result)
	if ready, err = r.Draft.Load("result", result); err != nil || !ready {
		return nil, false, err
	}
	return result, true, r.Draft.Seal(r.Ctx, result)
}

// compare makes the lists of all rows: the one stage of a build.
func (r *run) compare() error {
	if r.k == 0 || len(r.State.Stages) > 0 {
		return r.Ctx.Err()
	}
	if err := r.makeIndex(); err != nil {
		return err
	}
	r.expect()
	size := unitRows
	units := (r.rows.Len() + size - 1) / size
	p := r.Begin("exact", "blocks", int64(units))
	sum, err := r.DoUnits(p, units, func() job.Work { return newWorker(r, size).unit })
	if err != nil {
		return err
	}
	r.State.Stages = append(r.State.Stages, job.Stage{Kind: job.ExactStage, Number: 1, Requested: sum.Requested, Evaluated: sum.Evaluated})
	r.State.Stop = "all pairs compared"
	p.End("all pairs compared by %.3g products along postings, of %.3g", float64(sum.New), r.index.products)
	return r.Save()
}

// unitRows is how many rows a unit has: some seconds of a large build, and the time that an
// interruption loses.
const unitRows = 256
