package builder

import (
	"errors"
	"fmt"

	"github.com/knng/knng/builder/internal/build"
)

// ErrBelowTarget: the graph is finished and usable, but its recall is below the one asked for.
// [Result.Err] returns it.
var ErrBelowTarget = errors.New("builder: the graph is below the recall asked for")

// Err returns nil, or an error that wraps ErrBelowTarget and names the recall reached and a
// remedy. Build does not return it: a graph below its target is a graph.
func (r *Result) Err() error {
	if !r.Short {
		return nil
	}
	return fmt.Errorf("%w: %.4f (95 %% interval %.4f to %.4f), asked %v; %s",
		ErrBelowTarget, r.Recall.Recall, r.Recall.Low, r.Recall.High, r.Target, r.remedy())
}

// remedy names the options that would have brought the build further.
func (r *Result) remedy() string {
	if r.Capped {
		return "allow more divisions or rounds, or leave the limit out: then a build stops at its target only"
	}
	return "ask for more, as the rows that steered had it, or for method exact"
}

// judge notes in a result whether the graph is below its target: the steering sample was when
// the build stopped, or the whole interval of the report sample is.
func (r *Result) judge(b *build.Build) {
	target := b.Goal.Recall
	r.Target = target
	r.Capped = b.Goal.Capped()
	if target == 0 || b.K == 0 || r.Recall.Sample == 0 { // exact
		return
	}
	steered := b.State.Steer > 0 && len(b.State.Stages) > 0
	r.Short = steered && b.State.Last().Recall < target || r.Recall.High < target
}
