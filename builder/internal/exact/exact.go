package exact

import (
	"errors"
	"fmt"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// ErrOtherBlocks refuses to go on with an exact build of a version whose blocks had other
// rows: the counts of its units would be of other pairs.
var ErrOtherBlocks = fmt.Errorf("%w: it was begun by a version that compared other blocks of rows: begin anew", store.ErrMismatch)

// Method compares all rows with all others.
type Method struct {
	*build.Build
	bounds     points.Bounds // of lists, made by one division
	zeros      uint32        // the first of the rows of zeros, where their keys are known
	firstAlike []uint32      // place with the same bytes, of every place; nil: equal rows are few, or settled by keys
	brief      bool          // all pairs are compared again sooner than finds are kept: nothing is, and Unsaved says so
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

func (m *Method) Settle() {
	m.State.Side = m.BlockSide()
}

// Arrange puts near rows first, where codes tell: lists then take little afterwards.
// All pairs are compared in any order.
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
	return m.Goal.NextExact(&m.State, m.exactStages())
}

func (m *Method) Writes(string) (stored, scratch int64, err error) {
	return m.FirstLists(), 0, nil
}

func (m *Method) Stage(string) error { return m.compareRounds() }

func (m *Method) Finish() error { return nil }

func (m *Method) Free() { m.bounds.Free() }

func (m *Method) blockCount() int { return (m.N() + m.State.Side - 1) / m.State.Side }

// seats is the number of blocks made even: the last seat may be empty.
func (m *Method) seats() int { return (m.blockCount() + 1) / 2 * 2 }

// exactStages is the number of stages: rounds 0 to seats-1.
func (m *Method) exactStages() int {
	return (m.seats() + fixed.ExactRounds - 1) / fixed.ExactRounds
}

// briefWork is the elements of all pairs up to which a build is brief: some hundredths of a second
// of a core. Of 1,000 rows of 128, which are a sixteenth of it, to keep the finds of rounds took as long
// as to find it.
const briefWork = 1 << 30

// isBrief reports whether all pairs are one stage of little work.
func (m *Method) isBrief() bool {
	n := float64(m.N())
	return m.Own == nil && m.exactStages() == 1 && len(m.State.Stages) == 0 && n*n/2*float64(m.Rows.Dim()) <= briefWork
}

// compareRounds runs the next stage.
func (m *Method) compareRounds() error {
	if m.brief = m.isBrief(); m.brief {
		m.Unsaved++
	}
	number := m.State.Count(job.ExactStage) + 1
	from := (number - 1) * fixed.ExactRounds
	to := min(from+fixed.ExactRounds, m.seats())
	if err := m.Replay(m.StageNumber(), m.Lists); err != nil {
		return err
	}
	p := m.Begin("exact", "rounds", int64(m.seats()))
	p.Add(from) // of earlier stages
	st := job.Stage{Kind: job.ExactStage, Number: number}
	committed := func() error { return nil } // the round before
	for round := from; round < to; round++ {
		c, commit, err := m.exactRound(round, from)
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
	p.End("")
	return err
}

// exactRound does one round, a unit of the stage, and returns the function that commits it.
func (m *Method) exactRound(round, first int) (sum job.Counts, commit func() error, err error) {
	unit, nothing := round-first, func() error { return nil }
	if !m.brief {
		done, _, err := m.Committed(fixed.ExactRounds)
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
	pairs := roundPairs(round, m.seats(), m.blockCount())
	blocks := make([]store.Lists, len(pairs))
	counts := make([]job.Counts, len(pairs))
	err = vectors.Ranges(m.Job.Threads, len(pairs), 1, func() func(from, to int) error {
		w := m.exactWorker(screens)
		return func(i, _ int) (err error) {
			if err := m.Ctx.Err(); err != nil {
				return err
			}
			if blocks[i], counts[i], err = w.solve(pairs[i]); err != nil {
				return fmt.Errorf("builder: blocks %d and %d: %w", pairs[i][0], pairs[i][1], err)
			}
			return nil
		}
	})
	if err != nil {
		return sum, nil, err
	}
	for _, c := range counts {
		sum.Add(c)
	}
	if m.brief {
		return sum, nothing, nil
	}
	stage := m.StageNumber()
	return sum, func() error { return m.Draft.CommitUnit(stage, uint32(unit), blocks, sum) }, nil
}

// roundPairs pairs the blocks of a round: seat `seats-1` stays, the others
// rotate; pairs with an empty seat are left out. Round 0 pairs each block with
// itself, rounds 1 to seats-1 every two blocks once.
func roundPairs(round, seats, blocks int) (pairs [][2]int) {
	if round == 0 {
		for b := range blocks {
			pairs = append(pairs, [2]int{b, b})
		}
		return pairs
	}
	turning := seats - 1
	add := func(a, b int) {
		if a < blocks && b < blocks {
			pairs = append(pairs, [2]int{min(a, b), max(a, b)})
		}
	}
	add(round%turning, seats-1)
	for i := 1; i < seats/2; i++ {
		add((round+i)%turning, (round-i+turning)%turning)
	}
	return pairs
}
