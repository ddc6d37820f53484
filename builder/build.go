package builder

import (
	"context"
	"errors"
	"strings"

	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/balls"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/builder/internal/stopped"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// Build builds the k-NN graph of src into the store at dir. Called again with the same options
// after an interruption, it continues. src stays open and belongs to the caller.
//
// Cancelling ctx stops the build between two units of work and returns ctx's error, with its
// cause; nothing committed is lost. A killed process loses the unit in progress; killed in the
// first second (store.Early), it loses the build.
//
// If dir already holds the finished graph of these options, Build returns its stored Result and
// store.ErrFinished. If a file of src was written to since, it first reads all rows, to check that
// they are unchanged.
//
// Errors to test: store.ErrMismatch, store.ErrLocked, store.ErrNotStore, ErrBadRows, ErrMemory,
// ErrSpace, ErrReference, ErrMethod, an *OptionError, vectors.ErrRows (there are no rows),
// vectors.ErrFault (a mapped file was truncated or cannot be read).
func Build(ctx context.Context, dir string, src *vectors.Input, opts Options) (result *Result, err error) {
	defer func() { err = limits.Space(stopped.Error(ctx, err)) }()
	o, err := newRequest(dir, src, opts)
	if err != nil {
		return nil, err
	}
	manifest, err := o.manifest(ctx)
	if err != nil {
		return nil, err
	}
	r, err := newRun(ctx, o)
	if err != nil {
		return nil, err
	}
	draft, err := store.OpenDraft(dir, manifest, o.opts.draft(ctx))
	if errors.Is(err, store.ErrFinished) {
		result := new(Result)
		if failed := audit.Finished(ctx, dir, o.compared, o.opts.Threads, result); failed != nil {
			return nil, failed
		}
		return result, err
	}
	if err != nil {
		return nil, err
	}
	defer draft.Close() // the build's own error is the one that counts
	r.Draft = draft
	defer r.release()
	o.scale.Tell(r.Say)
	err = vectors.Guard(func() (err error) { // this goroutine reads mapped rows as well
		result, err = r.build()
		return err
	})
	if r.refused(err) {
		err = errors.Join(err, draft.Discard())
	}
	return result, err
}

// build runs the passes, from the first one or from the point of interruption to the seal. The
// package comment describes them.
func (r *run) build() (*Result, error) {
	resumed, err := r.resume()
	if err != nil {
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
	if resumed {
		r.Say("resuming after %d finished stages", len(r.State.Stages))
	}
	for _, pass := range []func() error{
		r.cost.Share,     // share the memory out
		r.audit.Pass,     // find the rows that have no distances
		r.collapse,       // keep the first of identical rows, if the options ask for it
		r.cost.Enough,    // refuse a memory limit that is too low
		r.expect,         // plan the build and report the plan
		r.order,          // give every row its place, and write the rows in that order
		r.load,           // load the lists of finished stages
		r.controls.Steer, // compute the exact lists of the steering sample
		r.stages,         // divide and propagate, until the sample has enough of its neighbors
		r.out.Complete,   // compare rows whose lists are short with all others
		r.adjacency,      // write the lists in the order of the input
		r.out.Measure,    // recall, on rows that steered nothing
		r.out.Sum,        // the checksum
	} {
		if err := pass(); err != nil {
			return nil, err
		}
	}
	result := r.result()
	return result, r.seal(result)
}

// auditAgain is the size of an input, in bytes, up to which a refused build is deleted with its
// audit: auditing so few rows again is cheap.
const auditAgain = 1 << 30

// refused reports whether the store is to be deleted after err, so that another build can use the
// directory: these options and rows never make a graph, or nothing worth keeping was made.
func (r *run) refused(err error) bool {
	for _, never := range []error{ErrBadRows, ErrMethod, store.ErrIDs} {
		if errors.Is(err, never) {
			return true
		}
	}
	return errors.Is(err, ErrMemory) && r.nothingMade()
}

// nothingMade reports whether the build has made nothing but the audit of a small input.
func (r *run) nothingMade() bool {
	return r.State.Expected == nil && r.State.Rows == 0 && int64(r.given.Len())*int64(r.given.Dim()*r.given.Type().Size()) <= auditAgain
}

// resume loads the state of an interrupted build, if there is one.
func (r *run) resume() (resumed bool, err error) {
	if resumed, err = r.LoadState(); err != nil {
		return false, err
	}
	if err := balls.Ahead(&r.Build); err != nil {
		return false, err
	}
	if r.State.Method != "" {
		r.Take(r.State.Method)
	}
	r.Received.Store(r.given.Received())
	r.Scratch, err = r.Draft.ScratchDir()
	return resumed, err
}

// collapse keeps only the first of identical rows among the good rows, if the options ask for it.
func (r *run) collapse() error {
	if r.opts.Duplicates != Collapse {
		return nil
	}
	return r.groups.Collapse(&r.Build, r.cost.EnoughToCollapse)
}

// expect plans the build and reports the plan. A resumed build keeps the plan that it has.
func (r *run) expect() error {
	if r.State.Expected != nil || r.State.Rows > 0 {
		return nil
	}
	if err := r.chooser.Take(); err != nil {
		return err
	}
	if names := r.opts.unused(Method(r.State.Method)); len(names) > 0 {
		r.Say("method %s has no use for: %s", r.State.Method, strings.Join(names, ", "))
	}
	return r.cost.Begin()
}

// order settles the method, gives every row its place, and stores the ids.
func (r *run) order() error {
	if err := r.rows.Place(r.chooser.Settle); err != nil {
		return err
	}
	if err := r.opts.ids().Commit(&r.Build, r.Source.Len(), r.audit.Dropped()); err != nil {
		return err
	}
	r.Keep()
	return nil
}

// load maps the rows and loads the lists of the finished stages.
func (r *run) load() error {
	if err := r.rows.MapRows(); err != nil {
		return err
	}
	if r.K = min(r.opts.K, r.N()-1); r.K == 0 {
		return nil
	}
	return r.TakeUp()
}

// stages runs one stage after another until the method says stop.
func (r *run) stages() error {
	if r.K == 0 {
		return r.Ctx.Err()
	}
	if err := r.Method.Prepare(); err != nil {
		return err
	}
	for r.State.Stop == "" {
		kind, stop := r.Method.Next()
		below, err := r.controls.Doubt(stop)
		if err != nil {
			return err
		}
		if below {
			kind, stop = job.JoinStage, ""
		}
		if stop != "" {
			r.State.Stop = stop
			if err := r.Save(); err != nil {
				return err
			}
			break
		}
		r.cost.More(kind)
		r.cost.Foresee(nil)
		if err := r.RoomForStage(kind); err != nil {
			return err
		}
		if err := r.Method.Stage(kind); err != nil {
			return err
		}
	}
	return r.Ctx.Err()
}

// adjacency writes the lists in the order of the input.
func (r *run) adjacency() error {
	if err := r.out.Adjacency(); err != nil {
		return err
	}
	r.Keep()
	return nil
}

// seal stores the result and seals the store.
func (r *run) seal(result *Result) error {
	p := r.Begin("seal", "", 0)
	if err := r.Save(); err != nil {
		return err
	}
	result.use(r.State.Usage)
	result.Phases = r.State.Phases
	err := r.Draft.Seal(r.Ctx, result)
	p.End("")
	return err
}

// sealing finishes a build that was interrupted while its store was sealed. The
// blocks of the stages may be gone by then; the graph and the result are there.
func (r *run) sealing() (result *Result, ready bool, err error) {
	result = new(Result)
	if ready, err = r.Draft.Load("result", result); err != nil || !ready {
		return nil, false, err
	}
	if err := r.audit.Sealing(); err != nil {
		return nil, true, err
	}
	p := r.Begin("seal", "", 0)
	err = r.Draft.Seal(r.Ctx, result)
	p.End("")
	return result, true, err
}
