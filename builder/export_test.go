package builder

import (
	"context"
	"slices"
	"time"

	"github.com/knng/knng/builder/internal/balls"
	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/exact"
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/forecast"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/parts"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

func init() { fixed.LeastBlock = 16 } // so that exact builds of some hundred rows have several rounds

// LargeBlocks gives blocks of the exact method the rows that they have outside of tests, and returns
// what puts those of tests back.
func LargeBlocks() (restore func()) {
	before := fixed.LeastBlock
	fixed.LeastBlock = 256
	return func() { fixed.LeastBlock = before }
}

// On returns o with everything but scratch files written through fs.
func (o Options) On(fs store.FS) Options {
	o.files = fs
	return o
}

// Early returns o with syncs put off for a while, on the file system of On.
func (o Options) Early(d time.Duration) Options {
	o.early = d
	return o
}

// KeepEvery sets how long the balls method runs between two writings of its
// lists, and returns what puts it back.
func KeepEvery(d time.Duration) (restore func()) {
	before := balls.KeepEvery
	balls.KeepEvery = func(_, _ int) time.Duration { return d }
	return func() { balls.KeepEvery = before }
}

// CalibrateFor sets how long Plan measures the machine, and returns what puts it back.
func CalibrateFor(d time.Duration) (restore func()) {
	before := forecast.CalibrationTime
	forecast.CalibrationTime = d
	return func() { forecast.CalibrationTime = before }
}

// SmallParts sets the bytes of groups and stripes of the parts method, and returns
// what puts them back.
func SmallParts(group int64, stripe int) (restore func()) {
	beforeGroup, beforeStripe := solve.GroupBytes, parts.StripeBytes
	solve.GroupBytes, parts.StripeBytes = group, stripe
	return func() { solve.GroupBytes, parts.StripeBytes = beforeGroup, beforeStripe }
}

// ReduceFrom sets from how many rows on the balls method looks for axes, and returns what
// puts it back.
func ReduceFrom(rows int) (restore func()) {
	before := balls.ReduceRows
	balls.ReduceRows = rows
	return func() { balls.ReduceRows = before }
}

// Committed tells what a build that goes on in dir begins with: how many finished
// stages, and the keys of every list by place, ascending. With balls these are
// distances of codes.
func Committed(dir string, src *vectors.Input, o Options) (stages int, keys [][]float32, err error) {
	req, err := newRequest(dir, src, o)
	if err != nil {
		return 0, nil, err
	}
	manifest, err := req.manifest(context.Background())
	if err != nil {
		return 0, nil, err
	}
	draft, err := store.OpenDraft(dir, manifest, nil)
	if err != nil {
		return 0, nil, err
	}
	defer draft.Close()
	r, err := newRun(context.Background(), req)
	if err != nil {
		return 0, nil, err
	}
	r.Draft = draft
	defer r.release()
	if _, err := draft.Load(job.StateRecord, &r.State); err != nil {
		return 0, nil, err
	}
	if r.State.Method != "" {
		r.Take(r.State.Method)
	}
	if r.Scratch, err = draft.ScratchDir(); err != nil {
		return 0, nil, err
	}
	for _, pass := range []func() error{r.cost.Share, r.audit.Pass, r.collapse, r.order, r.load} {
		if err := pass(); err != nil {
			return 0, nil, err
		}
	}
	if r.K == 0 {
		return 0, nil, nil
	}
	var found *candidates.Lists
	switch m := r.Method.(type) {
	case *parts.Method:
		keys, err = committedParts(m)
		return len(r.State.Stages), keys, err
	case *balls.Method:
		found = m.Candidates()
	}
	for place := range uint32(r.N()) {
		var list []float32
		if found == nil {
			_, of := r.Lists.List(place)
			list = slices.Clone(of)
		} else {
			for i := range found.Len(place) {
				list = append(list, float32(found.At(place, i).Distance()))
			}
		}
		slices.Sort(list)
		keys = append(keys, list)
	}
	return len(r.State.Stages), keys, nil
}

// ErrOtherBlocks refuses drafts like those that ForgetSide makes.
var ErrOtherBlocks = exact.ErrOtherBlocks

// ForgetSide makes the draft in dir one of a version that did not say how many rows a block
// of the exact method has.
func ForgetSide(dir string, src *vectors.Input, o Options) error {
	return inState(dir, src, o, func(s *job.State) { s.Side = 0 })
}

// ErrOtherLeaves refuses drafts like those that ForgetLap makes.
var ErrOtherLeaves = parts.ErrOtherLeaves

// ForgetLap makes the draft in dir one of a version whose divisions of very many rows had fewer leaves of a row.
func ForgetLap(dir string, src *vectors.Input, o Options) error {
	return inState(dir, src, o, func(s *job.State) { s.Lap = 0 })
}

// WideFrom has divisions of so many rows have more leaves of a row, and returns what puts it back.
func WideFrom(rows int) (restore func()) {
	before := job.WideRows
	job.WideRows = rows
	return func() { job.WideRows = before }
}

// ForgetMarks makes the draft in dir one of a version whose entries had one mark.
func ForgetMarks(dir string, src *vectors.Input, o Options) error {
	return inState(dir, src, o, func(s *job.State) { s.Plan.Marks = 0 })
}

// inState changes the states that are recorded in the draft in dir.
func inState(dir string, src *vectors.Input, o Options, change func(*job.State)) error {
	manifest, err := Manifest(context.Background(), src, o)
	if err != nil {
		return err
	}
	draft, err := store.OpenDraft(dir, manifest, nil)
	if err != nil {
		return err
	}
	defer draft.Close()
	for _, name := range []string{job.StateRecord, job.AheadRecord} {
		var s job.State
		known, err := draft.Load(name, &s)
		if err != nil {
			return err
		}
		if change(&s); known {
			err = draft.Record(name, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func committedParts(m *parts.Method) (keys [][]float32, err error) {
	err = m.EachStripe(func(s *solve.Stripe) error {
		for place := s.From; place < s.To; place++ {
			keys = append(keys, s.Copy(place).Keys)
		}
		return nil
	})
	return keys, err
}

// PlanBudget is how long Plan measures the machine for a build of so many seconds.
func PlanBudget(seconds float64) time.Duration { return forecast.Budget(&plan.Plan{Seconds: seconds}) }
