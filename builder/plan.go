package builder

import (
	"context"

	"github.com/knng/knng/builder/internal/stopped"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors"
)

// Plan predicts the cost of a build of src with these options: passes, memory, disk, bytes read and
// written, and time. It reads about two thousand rows. For the time it measures this machine, for
// 20 ms to a second depending on the length of the build, and writes unnamed files in opts.Scratch
// ("": the system's folder for temporary files). If recall steers the build, Plan guesses the
// number of divisions and rounds from the intrinsic dimension of the rows. It counts bad rows, and
// copies that will collapse, like all others. src stays open and belongs to the caller. Errors:
// those of the options and of reading; ctx's, with its cause.
func Plan(ctx context.Context, src *vectors.Input, opts Options) (p *plan.Plan, err error) {
	defer func() { err = stopped.Error(ctx, err) }()
	o, err := newRequest("", src, opts)
	if err != nil {
		return nil, err
	}
	r, err := newRun(ctx, o)
	if err != nil {
		return nil, err
	}
	defer r.release()
	r.Scratch = opts.Scratch
	r.Received.Store(src.Received())
	err = vectors.Guard(func() (err error) {
		for _, pass := range []func() error{r.cost.Share, r.audit.Every, r.chooser.Take} {
			if err := pass(); err != nil {
				return err
			}
		}
		p, err = r.cost.Ask()
		return err
	})
	return p, err
}
