package forecast

import (
	"fmt"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/builder/plan"
)

// Enough refuses a build whose anonymous memory would exceed the limit, with its method or the one that will
// be chosen. Mapped rows do not count: the kernel may drop them.
func (f *Forecast) Enough() error {
	method := f.State.Method
	if f.State.Rows == 0 { // not settled yet
		var err error
		if method, err = f.Chooser.Choose(); err != nil {
			return err
		}
	}
	_, t := f.Open(method)
	if t.MostRows > 0 && int64(len(f.Good)) > t.MostRows {
		return fmt.Errorf("builder: %d rows, method %s takes at most %d", len(f.Good), method, t.MostRows)
	}
	if need := f.least(method); need > f.Limit {
		return f.refusal(fmt.Sprintf("%d rows with k=%d need", len(f.Good), f.Set.K), need, f.advice(method, need))
	}
	return nil
}

// refusal returns the error of a build that needs more than the limit. It names a limit that suffices.
func (f *Forecast) refusal(who string, need int64, advice string) error {
	return fmt.Errorf("%w: %s %s, the limit is %s%s", limits.ErrMemory, who, limits.Mebibytes(need+mib/10), limits.Mebibytes(f.Limit), advice)
}

// advice names the method that needs the least memory, if it needs less than the given method.
func (f *Forecast) advice(method string, need int64) string {
	var others []string
	if _, t := f.Open(method); t.InParts != "" && f.Chooser.Divisible() {
		others = append(others, t.InParts)
	}
	metric := f.Space.Metric()
	usual := metric.Gathers() && metric.Coded()
	if !usual {
		others = append(others, job.PaperMethod, job.ExactMethod)
	}
	advice := f.lesser(need, others...)
	if advice == "" && !usual {
		return "; no method needs less: allow more, or ask for fewer neighbors"
	}
	return advice
}

// lesser names the method of among that needs the least memory, if it needs less than need.
func (f *Forecast) lesser(need int64, among ...string) (advice string) {
	for _, m := range among {
		if least := f.least(m); least < need {
			need, advice = least, fmt.Sprintf("; method %s needs %s, as a build of its own: in another directory, or with this one deleted", m, limits.Mebibytes(least+mib/10))
		}
	}
	return advice
}

// EnoughToCollapse refuses to search for equal rows if that takes more than the limit. It names a limit that
// also suffices for the build afterwards, if there are no equal rows.
func (f *Forecast) EnoughToCollapse() error {
	method := f.Chooser.ByCounts(len(f.Good), f.Source.Dim())
	need := reserved(method, f.leastPlan(method).Pass("collapse").Alone())
	if need <= f.Limit {
		return nil
	}
	return f.refusal(fmt.Sprintf("finding equal rows among %d, and the build, need", f.Source.Len()), max(need, f.least(method)), "")
}

// Share gives the ledger the memory for blocks that grow with the rows. Blocks beyond it are files in the
// scratch folder.
func (f *Forecast) Share() error {
	f.Ledger.Limit, f.Ledger.Dir = f.Between(), f.Scratch
	return nil
}

// Between returns the memory for blocks that grow with the rows: all that the rest of a build by the parts
// method does not need. Beyond it they become files. The other methods hold more in memory, and refuse a
// limit that is too low.
func (f *Forecast) Between() int64 { return max(1, f.Limit-f.least(job.PartsMethod)) }

// least returns the least memory of a method: the planned peak of a build with one division and one round,
// with nothing in the ledger.
func (f *Forecast) least(method string) int64 {
	return reserved(method, f.leastPlan(method).PeakAnonBytes)
}

// reserved adds a reserve to a planned peak, so that the limit is kept. It exceeds the real peak by a quarter
// at most: peaks were up to 12 % above plans, those of groups of leaves, whose sizes a plan does not know, up
// to 18 %.
func reserved(method string, planned int64) int64 {
	if method == job.PartsMethod {
		return planned/20*23 + min(8*mib, planned/8)
	}
	return planned/8*9 + mib/2
}

func (f *Forecast) leastPlan(method string) *plan.Plan {
	s := f.shape(method)
	s.Parts.Ledger, s.Divisions, s.Rounds = 0, s.Overlap, 1
	if _, t := f.Open(method); t.Labels {
		s.Divisions = job.MaxDivisions // each keeps its leaf numbers
		if f.Goal.Divisions > 0 {
			s.Divisions = f.Goal.Divisions
		}
	}
	return plan.Of(s, plan.Nominal(s, 1))
}

// Solving returns the ledger's limit while groups are solved. The ledger also provides the memory of their
// blocks, which least includes, so that groups larger than planned become files.
func (f *Forecast) Solving() int64 {
	return max(f.Between(), f.Limit-reserved(job.PartsMethod, f.leastPlan(job.PartsMethod).Pass("divisions").Beside()))
}

// Writing returns the ledger's limit for the last pass, which holds no groups: the collector frees their
// remains when a block needs the memory (HoldHeap).
func (f *Forecast) Writing() int64 {
	return max(f.Between(), f.Limit-reserved(job.PartsMethod, f.leastPlan(job.PartsMethod).Pass("adjacency").Alone()))
}

// AllPairs refuses the exact method, which holds all lists, if the limit is too low for it.
func (f *Forecast) AllPairs() error {
	if need := f.least(job.ExactMethod); need > f.Limit {
		return f.refusal(fmt.Sprintf("divisions gain too little, and all pairs of %d rows with k=%d need", f.N(), f.Set.K), need, "")
	}
	return nil
}

const mib = limits.MiB
