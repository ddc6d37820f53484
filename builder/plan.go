package builder

import (
	"context"

	"github.com/knng/knng/builder/internal/input"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Plan predicts the cost of a build of src with these options: its passes, memory,
// disk, bytes read and written, and time, for which it measures this machine for 20 ms to a
// second, by the length of the build, and writes files without names in opts.Scratch (the
// system's folder for temporary files, if ""). It reads some two thousand rows. Where recall steers the
// build, divisions and rounds are guessed from the rows' intrinsic dimension; bad rows,
// and copies that will collapse, are counted as if they were neither. src stays open
// and belongs to the caller. Errors: those of the options and of reading; ctx's.
func Plan(ctx context.Context, src *vectors.Input, opts Options) (*plan.Plan, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	opts = opts.withDefaults()
	given := src
	src, _, err := input.Scaled("", given, opts.input())
	if err != nil {
		return nil, err
	}
	space, err := distance.New(opts.Metric, src.Type(), src.Dim())
	if err != nil {
		return nil, err
	}
	r := newRun(ctx, opts, src, space)
	r.Scratch, r.given = opts.Scratch, given
	defer r.release()
	r.Received.Store(given.Received())
	var p *plan.Plan
	r.Ledger.Limit, r.Ledger.Dir = r.cost.Between(), opts.Scratch
	err = vectors.Guard(func() (err error) {
		if err = r.bad.Every(&r.Build); err != nil {
			return err
		}
		if err = r.choose(); err != nil {
			return err
		}
		p, err = r.cost.Ask()
		return err
	})
	return p, err
}
