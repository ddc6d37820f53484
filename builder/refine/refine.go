package refine

import (
	"context"
	"errors"
	"time"

	"github.com/knng/knng/builder/internal/input"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/builder/internal/measure"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/internal/stopped"
	"github.com/knng/knng/cache"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// Refine makes the graph G2 of g1's rows, under the distance of opts, in the store at dir. Called again with
// the same options after an interruption, it continues. g1 and opts.Vectors stay open and belong to the
// caller.
//
// Cancelling ctx stops cleanly and returns ctx's error, with its cause; nothing that was
// committed is lost. When dir already holds the finished graph of these
// options, Refine returns its stored Result and store.ErrFinished. Errors to
// test: store.ErrMismatch, store.ErrLocked, store.ErrNotStore,
// builder.ErrBadRows (in opts.Vectors), builder.ErrSpace, vectors.ErrFault.
func Refine(ctx context.Context, dir string, g1 *store.Store, opts Options) (*Result, error) {
	if err := measure.Given(g1); err != nil {
		return nil, err
	}
	opts = opts.withDefaults(g1)
	if err := opts.Validate(g1); err != nil {
		return nil, err
	}
	r := &run{opts: opts, g1: g1, began: time.Now()}
	if opts.Vectors != nil {
		var err error
		if r.opts.Vectors, r.scale, err = input.Scaled(dir, opts.Vectors, input.Options{Metric: opts.Metric}); err != nil {
			return nil, err
		}
	}
	r.Job = job.Job{Ctx: ctx, Threads: opts.Threads, OnEvent: opts.Progress}
	r.Points = points.Points{Threads: opts.Threads}
	defer r.release()
	var result *Result
	err := vectors.Guard(func() (err error) { // this goroutine reads mapped rows as well
		result, err = r.refine(dir)
		return err
	})
	return result, limits.Space(stopped.Error(ctx, err))
}

// run is one call of Refine. A place is a position in the locality order that
// G1 was built in; the rows with a list have one.
type run struct {
	job.Job
	points.Points
	opts  Options
	g1    *store.Store
	began time.Time

	placeOf []uint32 // placeOf[row] = place, or noPlace

	given    *listFile // of G1
	start    *listFile // the same under the new distance
	bounds   []entry   // bounds[place]: entries after it do not enter the new list
	pairs    *cache.Pairs
	keyCost  time.Duration // of the distance, where pairs may be worth keeping
	scale    input.Scale   // by which the new vectors are compared, beside those given
	checksum string        // of these
	stop     func()        // ends the measuring of usage and the telling; nil: they have not begun
}

func (r *run) release() {
	if r.stop != nil {
		r.stop()
	}
	if r.pairs != nil {
		r.pairs.Close()
	}
	for _, l := range []*listFile{r.given, r.start} {
		if l != nil {
			l.remove()
		}
	}
	if r.Rows != nil {
		r.Rows.Close()
	}
	if r.Draft != nil {
		r.Draft.Close() // the refinement's own error is the one that counts
	}
}

// refine goes through the passes of the package comment.
func (r *run) refine(dir string) (*Result, error) {
	if err := r.audit(); err != nil {
		return nil, err
	}
	var err error
	r.Draft, err = store.OpenDraft(dir, r.manifest(), &store.DraftOptions{Scratch: r.opts.Scratch, Logger: r.opts.Logger, Early: store.Early, Context: r.Ctx})
	if errors.Is(err, store.ErrFinished) {
		result := new(Result)
		if failed := store.ReadResult(dir, result); failed != nil {
			return nil, failed
		}
		return result, err
	}
	if err != nil {
		return nil, err
	}
	if result, ready, err := r.sealing(); ready || err != nil {
		return result, err
	}
	if err := r.resume(); err != nil {
		return nil, err
	}
	r.scale.Tell(r.Say)
	for _, pass := range []func() error{r.layout, r.writeGiven, r.openPairs, r.evaluateStart, r.writeStart, r.walk} {
		if err := pass(); err != nil {
			return nil, err
		}
	}
	return r.finish()
}

// sealing finishes a refinement that was interrupted while its store was sealed. The
// blocks of the stages may be gone by then; the graph and the result are there.
func (r *run) sealing() (result *Result, ready bool, err error) {
	result = new(Result)
	if ready, err = r.Draft.Load("result", result); err != nil || !ready {
		return nil, false, err
	}
	return result, true, r.Draft.Seal(r.Ctx, result)
}

// resume reads the state that earlier runs recorded.
func (r *run) resume() error {
	resumed, err := r.LoadState()
	if err != nil {
		return err
	}
	r.State.Usage.Seconds += time.Since(r.began).Seconds() // before the usage is measured
	measured := r.Watch()
	told := r.Publish()
	r.stop = func() {
		told()
		measured()
	}
	r.State.Runs++
	if resumed {
		r.Say("resuming after %d finished stages", len(r.State.Stages))
	}
	return r.Save()
}

// own reports whether the distance is the program's own.
func (r *run) own() bool { return r.opts.Distance != nil }

// distanceName is the name of the distance.
func (r *run) distanceName() string {
	if r.own() {
		return r.opts.Distance.Name
	}
	return r.opts.Metric.String()
}
