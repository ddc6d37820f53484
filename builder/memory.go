package builder

import (
	"fmt"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors/offered"
)

// enough refuses a build whose anonymous memory cannot stay under the limit.
// Mapped rows do not count: the kernel may drop them.
func (r *run) enough() error {
	m, err := r.choose()
	if err != nil {
		return err
	}
	t := methods[m]
	if t.mostRows > 0 && int64(len(r.Good)) > t.mostRows {
		return fmt.Errorf("builder: %d rows, method %s takes at most %d", len(r.Good), m, t.mostRows)
	}
	limit, need := r.limit(), r.least(m)
	if need > limit {
		return fmt.Errorf("%w: %d rows with k=%d need %s, the limit is %s%s",
			ErrMemory, len(r.Good), r.opts.K, mebibytes(need+mib/10), mebibytes(limit), r.advice(m, need)) // a limit so large suffices
	}
	return nil
}

// advice names the method that needs the least memory, where that is less than a method needs.
func (r *run) advice(m Method, need int64) string {
	if inParts := methods[m].inParts; inParts != "" && r.opts.divisible() {
		return r.lesser(need, inParts)
	}
	if r.opts.Metric.Gathers() && r.opts.Metric.Coded() {
		return ""
	}
	if other := r.lesser(need, Paper, Exact); other != "" {
		return other
	}
	return fmt.Sprintf("; no method needs less, as method %s does not know the metric %v: allow more, or ask for fewer neighbors", Parts, r.opts.Metric)
}

// lesser names the method among some that needs the least, where that is less than need.
func (r *run) lesser(need int64, among ...Method) (advice string) {
	for _, m := range among {
		if least := r.least(m); least < need {
			need, advice = least, fmt.Sprintf("; method %s needs %s, as a build of its own: in another directory, or with this one deleted", m, mebibytes(least+mib/10))
		}
	}
	return advice
}

// enoughToCollapse refuses to look for equal rows where that takes more than the limit. It
// names a limit that is enough for the build after it as well, if there are no equal rows.
func (r *run) enoughToCollapse() error {
	method := r.opts.choose(len(r.Good), r.src.Dim())
	need := reserved(method, r.leastPlan(method).Pass("collapse").Alone())
	if limit := r.limit(); need > limit {
		need = max(need, r.least(method))
		return fmt.Errorf("%w: finding equal rows among %d, and the build, need %s, the limit is %s", ErrMemory, r.src.Len(), mebibytes(need+mib/10), mebibytes(limit))
	}
	return nil
}

// limit is the memory that the build may take.
func (r *run) limit() int64 {
	if r.opts.Memory > 0 {
		return r.opts.Memory
	}
	return DefaultMemory()
}

// cacheBytes is the share of a limit that the database may use to cache blocks: 8 MiB
// where there is plenty. The last lists are read in order, to hash them, and need next to none.
func cacheBytes(limit int64) int64 {
	if limit == 0 {
		limit = DefaultMemory()
	}
	return min(8*mib, max(mib/2, limit/32))
}

// DefaultMemory is the limit where Options.Memory is 0: half of the memory that the
// machine or its cgroup offers, in bytes.
func DefaultMemory() int64 { return offered.Memory() / 2 }

// openLedger shares the limit out: blocks that grow with the rows get the memory that the rest
// does not need, and go to files beyond that. The other methods hold more than that in
// memory and refuse a limit that is too low.
func (r *run) openLedger() (err error) {
	r.Ledger.Limit = r.partsRoom()
	r.Ledger.Dir, err = r.Draft.ScratchDir()
	return err
}

// partsRoom is the memory of the parts method for blocks that grow with the rows.
func (r *run) partsRoom() int64 { return max(1, r.limit()-r.least(Parts)) }

// least is the memory that a method is given at least: the planned peak of a build of one
// division and one round, nothing in the ledger.
func (r *run) least(method Method) int64 { return reserved(method, r.leastPlan(method).PeakAnonBytes) }

// reserved adds a reserve to a plan, so that a limit is a promise that is kept, and
// no more than a quarter above the peak of a build: peaks were up to 12 % above plans, those
// of groups of leaves, whose sizes a plan does not know, up to 18 %.
func reserved(method Method, planned int64) int64 {
	if method == Parts {
		return planned/20*23 + min(8*mib, planned/8)
	}
	return planned/8*9 + mib/2
}

func (r *run) leastPlan(method Method) *plan.Plan {
	s := r.shape(method)
	s.Parts.Ledger, s.Divisions, s.Rounds = 0, job.Overlap, 1
	if methods[method].labels {
		s.Divisions = MaxDivisions // of which each keeps its leaf numbers
		if r.opts.Divisions > 0 {
			s.Divisions = r.opts.Divisions
		}
	}
	return plan.Of(s, plan.Nominal(s, 1))
}

// partsMemory shares the limit out among the passes of the parts method.
type partsMemory struct{ *run }

func (m partsMemory) Between() int64 { return m.partsRoom() }

// Solving is the room while groups are solved: the blocks of these, which are in the least memory,
// are given by the ledger, so that groups that are larger than planned stand in files.
func (m partsMemory) Solving() int64 {
	return max(m.partsRoom(), m.limit()-reserved(Parts, m.leastPlan(Parts).Pass("divisions").Beside()))
}

// Writing is the room of the last pass, which holds no groups; the collector takes the rest of
// them when a block needs the memory (HoldHeap).
func (m partsMemory) Writing() int64 {
	return max(m.partsRoom(), m.limit()-reserved(Parts, m.leastPlan(Parts).Pass("adjacency").Alone()))
}

// AllPairs refuses the exact method, which holds all lists, where the limit is too low for it.
func (m partsMemory) AllPairs() error {
	if need, limit := m.least(Exact), m.limit(); need > limit {
		return fmt.Errorf("%w: divisions gain too little, and all pairs of %d rows with k=%d need %s, the limit is %s",
			ErrMemory, m.N(), m.opts.K, mebibytes(need+mib/10), mebibytes(limit))
	}
	return nil
}

const mib = limits.MiB

func mebibytes(n int64) string { return limits.Mebibytes(n) }

// HoldHeap keeps the anonymous memory of this process under limit bytes from now on: garbage of
// Go's heap is collected before it stands beside a build's blocks outside of it. A lower limit of
// the heap's own (GOMEMLIMIT) stays; 0 ends that. It is for programs that are nothing but a
// build: the limit is one for the whole process.
func HoldHeap(limit int64) { offheap.HoldHeap(limit) }
