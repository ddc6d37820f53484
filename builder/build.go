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

// Build builds the k-NN graph of src into the store at dir, or continues the
// build there that was interrupted: call it again with the same options. src
// stays open and belongs to the caller.
//
// Cancelling ctx stops cleanly between units and returns ctx's error, with its cause; nothing
// that was committed is lost. A process that is killed loses the unit in progress, and in the
// first second of a build (store.Early) the build. When dir already holds the finished graph of
// these options, Build returns its stored Result and store.ErrFinished; where a file of src
// has been written to since, it reads all rows first, to see that they are the same.
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

// build is the whole of a build: from its beginning, or from where it was interrupted, to the seal.
// The package comment describes the passes.
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
		r.audit.Pass,     // which rows have distances?
		r.collapse,       // of equal rows solve the first, where that was asked for
		r.cost.Enough,    // refuse a limit of memory that cannot be kept
		r.expect,         // plan, and tell
		r.order,          // give every row its place, and write the rows in that order
		r.load,           // take up the lists of the stages before
		r.controls.Steer, // exact lists of a few rows, by which the build steers
		r.stages,         // divide and propagate, until these have enough of their neighbors
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

// auditAgain is of how many bytes the rows are read again, rather than that the folder of a refused
// build stays there for the audit in it.
const auditAgain = 1 << 30

// refused reports whether an error says that the same options and rows never make a graph, or where nothing was
// made yet: others may be given then in this directory.
func (r *run) refused(err error) bool {
	for _, never := range []error{ErrBadRows, ErrMethod, store.ErrIDs} {
		if errors.Is(err, never) {
			return true
		}
	}
	return errors.Is(err, ErrMemory) && r.nothingMade()
}

// nothingMade reports whether a build has no more than the audit of a few rows.
func (r *run) nothingMade() bool {
	return r.State.Expected == nil && r.State.Rows == 0 && int64(r.given.Len())*int64(r.given.Dim()*r.given.Type().Size()) <= auditAgain
}

// resume loads the state of a build that was interrupted, where there is one.
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

// collapse leaves of identical rows the first among the good rows.
func (r *run) collapse() error {
	if r.opts.Duplicates != Collapse {
		return nil
	}
	return r.groups.Collapse(&r.Build, r.cost.EnoughToCollapse)
}

// expect plans the build at its head, and tells. A build that goes on has its plan.
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

// load takes up the results of the committed stages.
func (r *run) load() error {
	if err := r.rows.MapRows(); err != nil {
		return err
	}
	if r.K = min(r.opts.K, r.N()-1); r.K == 0 {
		return nil
	}
	return r.TakeUp()
}

// stages runs stage after stage until the method says stop.
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
