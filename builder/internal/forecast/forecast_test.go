package forecast_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/buildtest"
	"github.com/knng/knng/builder/internal/choose"
	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/forecast"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors/distance"
)

var kinds = map[string]plan.Kind{job.ExactMethod: plan.AllPairs, job.BallsMethod: plan.Balls, job.PartsMethod: plan.Groups, job.PaperMethod: plan.Leaves}

// over returns the forecast of a build of some rows by a method.
func over(t *testing.T, n int, method string) *forecast.Forecast {
	t.Helper()
	rows, space := rowstest.Bytes(t, rand.New(rand.NewPCG(1, uint64(n))), n, 16, 256)
	b := buildtest.New(t, rows, space, 10)
	b.Set.LeafSize = 100
	b.Open = func(name string) (build.Method, build.Traits) {
		return &buildtest.Idle{Kind: kinds[name]}, build.Traits{Rounds: name == job.BallsMethod || name == job.PaperMethod, InParts: map[bool]string{true: job.PartsMethod}[name == job.BallsMethod]}
	}
	c := &choose.Chooser{Build: b, Options: choose.Options{Method: method, K: 10, LeafSize: 100, Recall: 0.95, Metric: distance.Euclidean, Threads: 2}}
	f := &forecast.Forecast{Build: b, Groups: new(copies.Groups), Chooser: c, Options: forecast.Options{Limit: 1 << 40, Visits: 500, Switch: 0.9}}
	b.Goal = job.Goal{Divisions: 8, Rounds: 2, Propagate: true}
	if err := c.Take(); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestEnough: a build is refused exactly below the least memory of its plan, which grows with the rows,
// and the refusal names it.
func TestEnough(t *testing.T) {
	for method := range kinds {
		before := int64(0)
		for _, n := range []int{100, 3000, 20000} {
			f := over(t, n, method)
			p, err := f.Ask()
			if err != nil {
				t.Fatal(err)
			}
			if p.LeastBytes < before || p.LimitBytes != f.Limit {
				t.Errorf("%s: %d rows need %d bytes of %d, fewer %d", method, n, p.LeastBytes, p.LimitBytes, before)
			}
			before = p.LeastBytes
			if f.Limit = p.LeastBytes; f.Enough() != nil {
				t.Errorf("%s: %v with the least that is enough", method, f.Enough())
			}
			f.Limit--
			err = f.Enough()
			if !errors.Is(err, limits.ErrMemory) || !strings.Contains(err.Error(), limits.Mebibytes(f.Limit)) {
				t.Errorf("%s: %v with less", method, err)
			}
		}
	}
}

// TestShare: the ledger has the memory that a build in parts leaves, never none.
func TestShare(t *testing.T) {
	f := over(t, 3000, job.PartsMethod)
	p, err := f.Ask()
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range []int64{-5, 0, 1, 1 << 30} {
		f.Limit = p.LeastBytes + more
		if err := f.Share(); err != nil || f.Ledger.Limit != max(1, more) || f.Ledger.Dir != f.Scratch {
			t.Errorf("with %d bytes more than the least the ledger has %d", more, f.Ledger.Limit)
		}
	}
}

// TestPlanned: a plan has the divisions and rounds that were asked for, and no rounds where the method
// has none or they are off; one stage more than planned revises it.
func TestPlanned(t *testing.T) {
	for method := range kinds {
		for _, propagate := range []bool{true, false} {
			f := over(t, 3000, method)
			f.Goal.Propagate = propagate && f.Traits.Rounds
			defer f.Publish()()
			if err := f.Begin(); err != nil {
				t.Fatal(err)
			}
			rounds, p := 0.0, f.State.Expected
			if f.Goal.Propagate {
				rounds = 2
			}
			if kinds[method] == plan.AllPairs {
				if p.Divisions != 0 || p.Rounds != 0 {
					t.Errorf("%s: %d divisions and %v rounds", method, p.Divisions, p.Rounds)
				}
				continue
			}
			if p.Divisions != 8 || p.Rounds != rounds {
				t.Errorf("%s, propagates %v: %d divisions and %v rounds", method, propagate, p.Divisions, p.Rounds)
			}
			f.State.Stages = make([]job.Stage, 7)
			for i := range f.State.Stages {
				f.State.Stages[i].Kind = job.DivisionStage
			}
			if f.More(job.DivisionStage); f.State.Revised != nil {
				t.Errorf("%s: the eighth division revises a plan of eight", method)
			}
			f.State.Stages = append(f.State.Stages, f.State.Stages[0])
			if f.More(job.DivisionStage); f.State.Revised == nil || f.State.Revised.Divisions != 9 {
				t.Errorf("%s: the ninth division does not", method)
			}
		}
	}
}
