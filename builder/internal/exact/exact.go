package exact

import (
	"errors"
	"fmt"
	"sync"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/internal/tiers"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// ErrOtherBlocks refuses to resume an exact build of a version whose blocks had other rows: the counts of its
// units would be of other pairs.
var ErrOtherBlocks = fmt.Errorf("%w: it was begun by a version that compared other blocks of rows: begin anew", store.ErrMismatch)

// Method compares all rows with all others.
type Method struct {
	*build.Build
	schedule   schedule      // of the blocks; nil before the first stage of a run
	tiers      *tiers.Tiers  // if rows are compared in tiers
	bounds     points.Bounds // of lists, made by one division
	zeros      uint32        // the first of the rows of zeros, if their keys are known
	firstAlike []uint32      // first place with the same bytes, for every place; nil: equal rows are few, or settled by keys
	brief      bool          // comparing all pairs again takes less time than keeping finds: none is kept, and Unsaved says so
}

// New returns the exact method on a build.
func New(b *build.Build) *Method { return &Method{Build: b} }

func (m *Method) Forecast(s *plan.Shape) {
	s.Kind = plan.AllPairs
	if m.Own == nil {
		m.CountCodes(s)
	}
}

func (m *Method) Expected(*plan.Aim) (divisions int, rounds float64) { return 0, 0 }

func (m *Method) Settle() { m.SettleExact(&m.State) }

// Arrange puts near rows next to each other, if codes order rows: lists then change little after the first
// blocks. Any order gives the same graph.
func (m *Method) Arrange(given *vectors.Rows, progress func(int)) ([]uint32, error) {
	if !m.CodesDivide() {
		return build.InputOrder(given.Len()), nil
	}
	return m.BallOrder(given, progress)
}

func (m *Method) Resume() error {
	if m.State.Side == 0 {
		return ErrOtherBlocks
	}
	if err := errors.Join(m.boundLists(), m.findAlike()); err != nil {
		return err
	}
	return m.LoadLists()
}

func (m *Method) Prepare() error { return nil }

func (m *Method) Next() (kind, stop string) {
	return m.Goal.NextExact(&m.State, m.stages())
}

func (m *Method) Writes(string) (stored, scratch int64, err error) {
	return m.FirstLists(), 0, nil
}

func (m *Method) Stage(kind string) (err error) {
	if kind == job.JoinStage {
		return m.JoinSteering()
	}
	if m.schedule == nil {
		if m.schedule, err = m.newSchedule(); err != nil {
			return err
		}
	}
	return m.compareStage()
}

func (m *Method) Finish() error { return nil }

func (m *Method) Free() { m.bounds.Free() }

// isBrief reports whether comparing all pairs is one stage of little work.
func (m *Method) isBrief() bool {
	return m.Own == nil && m.stages() == 1 && len(m.State.Stages) == 0 && fixed.Brief(int64(m.N()), m.Rows.Dim())
}

// compareStage runs the next stage.
func (m *Method) compareStage() error {
	if m.brief = m.isBrief(); m.brief {
		m.Unsaved++
	}
	number := m.State.Count(job.ExactStage) + 1
	if err := m.Replay(m.StageNumber(), m.Lists); err != nil {
		return err
	}
	p, before := m.beginStage(number)
	p.Add(before)
	st := job.Stage{Kind: job.ExactStage, Number: number}
	committed := func() error { return nil } // of the previous unit
	for unit := range m.schedule.units(number - 1) {
		c, commit, err := m.compareUnit(number-1, unit)
		if failed := committed(); failed != nil {
			return failed
		}
		if err != nil {
			return err
		}
		committed = job.Async(commit)
		st.Requested += c.Requested
		st.Evaluated += c.Evaluated
		p.Add(1)
	}
	if err := committed(); err != nil {
		return err
	}
	err := m.EndStage(st)
	note := ""
	if m.State.Tiers > 0 {
		note = fmt.Sprintf("tier %d of %d compared with all rows%s", number, m.State.Tiers, m.SteerNote())
	}
	p.End("%s", note)
	return err
}

// compareUnit does one unit of a stage, and returns a function that commits it.
func (m *Method) compareUnit(stage, unit int) (sum job.Counts, commit func() error, err error) {
	nothing := func() error { return nil }
	if !m.brief {
		done, _, err := m.Committed(m.schedule.units(stage))
		if err != nil {
			return sum, nil, err
		}
		if done[unit] {
			sum, err = m.UnitCounts(unit)
			return sum, nothing, err
		}
	}
	screens, err := m.Screens()
	if err != nil {
		return sum, nil, err
	}
	workers := &sync.Pool{New: func() any { return m.exactWorker(screens) }}
	var blocks []store.Lists
	for _, pairs := range m.schedule.rounds(stage, unit) {
		found, counts, err := m.compareRound(pairs, workers)
		if err != nil {
			return sum, nil, err
		}
		blocks = append(blocks, found...)
		sum.Add(counts)
	}
	if m.brief {
		return sum, nothing, nil
	}
	number := m.StageNumber()
	return sum, func() error {
		if err := m.Draft.CommitUnit(number, uint32(unit), blocks, sum); err != nil {
			return err
		}
		m.Keep()
		return nil
	}, nil
}

// compareRound compares pairs of blocks; no block is in two pairs.
func (m *Method) compareRound(pairs [][2]int, workers *sync.Pool) (blocks []store.Lists, sum job.Counts, err error) {
	blocks = make([]store.Lists, len(pairs))
	counts := make([]job.Counts, len(pairs))
	err = vectors.Ranges(m.Job.Threads, len(pairs), 1, func() func(from, to int) error {
		return func(i, _ int) (err error) {
			w := workers.Get().(*exactWorker)
			defer workers.Put(w)
			if err := m.Ctx.Err(); err != nil {
				return err
			}
			if blocks[i], counts[i], err = w.solve(pairs[i]); err != nil {
				return fmt.Errorf("builder: blocks %d and %d: %w", pairs[i][0], pairs[i][1], err)
			}
			return nil
		}
	})
	for _, c := range counts {
		sum.Add(c)
	}
	return blocks, sum, err
}
