package parts

import (
	"fmt"
	"iter"
	"math"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/inner"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/store"
)

// The parts method under inner products uses balls of rows of similar direction and length (package
// internal/inner). In each division every row looks into some more of them, as in the balls method. Only the
// row's own list gets its finds, so lists are made for a stretch of rows at a time, and are a unit of the
// stage. The codes of directions are in blocks of the ledger.

// innerCells holds the balls of a build.
type innerCells struct {
	m *Method
	*inner.Cells
	course inner.Course
	held   int64 // bytes of the ledger that they hold
}

// prepare makes the balls.
func (c *innerCells) prepare() error {
	m := c.m
	if m.N() > candidates.MaxPlaces {
		return fmt.Errorf("builder: %d rows, method %s takes at most %d under %v", m.N(), job.PartsMethod, candidates.MaxPlaces, m.Space.Metric())
	}
	p := m.Begin("cells", "", 0)
	defer p.End("")
	m.Keyed, m.State.Means = true, job.ByKeys
	before := m.Ledger.Used()
	cells, err := inner.Make(m.Ctx, m.Rows, m.Space, inner.Options{Seed: m.Set.Seed, Threads: m.Job.Threads, Memory: &m.Ledger})
	if err != nil {
		return err
	}
	c.Cells, c.course.Cells, c.held = cells, cells.Len(), m.Ledger.Used()-before
	if m.Steer == nil {
		return nil
	}
	c.course.Foresight = cells.Foresee(m.Steer.Places, build.NeighborsOf(m.Steer), m.Goal.Wanted(0))
	m.Say("%s", c.course.Foretold(&m.Goal))
	return nil
}

// free frees the memory.
func (c *innerCells) free() {
	if c.Cells != nil {
		c.Cells.Free()
		c.Cells, c.held = nil, 0
	}
}

// next lets rows look into more balls until recall suffices.
func (c *innerCells) next() (kind, stop string) {
	s, g := &c.m.State, &c.m.Goal
	if stop := g.Enough(s); stop != "" {
		return "", stop
	}
	if stop := c.course.Ended(s, g); stop != "" {
		return "", stop
	}
	return job.DivisionStage, ""
}

// A look is a division under inner products.
type look struct {
	*innerCells
	from, to int // ranks of the balls that rows look into
	progress *progress.Phase
}

// divide runs such a division.
func (c *innerCells) divide() error {
	m := c.m
	if err := m.fold(); err != nil {
		return err
	}
	l := &look{innerCells: c, from: m.State.Last().Parts, to: c.course.Looks(&m.State, &m.Goal)}
	st := job.Stage{Kind: job.DivisionStage, Number: m.State.Count(job.DivisionStage) + 1, Parts: l.to}
	l.progress = m.Begin(fmt.Sprintf("division %d", st.Number), "rows", int64(m.N()))
	sum, err := l.units()
	if err != nil {
		return err
	}
	st.Requested, st.Evaluated = sum.Requested, sum.Evaluated
	if m.Steer != nil {
		if st.Recall, st.Margin, err = m.steered(); err != nil {
			return err
		}
	}
	m.State.Stages = append(m.State.Stages, st)
	err = m.Save()
	l.progress.End("division %d: each row looked into %d of %d balls, %.0f pairs a row%s", st.Number, st.Parts, c.Len(),
		float64(sum.Requested)/float64(m.N()), m.SteerNote())
	return err
}

// stretch returns the number of rows whose lists are made at a time: stripes of lists that together take the
// memory of a group.
func (m *Method) stretch() int {
	stripes := int(solve.GroupBytes) / (8 * max(1, m.Set.K)) / m.stripePlaces()
	return max(1, stripes) * m.stripePlaces()
}

// units makes the lists of all rows, except in stretches committed earlier.
func (l *look) units() (job.Counts, error) {
	m := l.m
	width := m.stretch()
	done, sum, err := m.Committed((m.N() + width - 1) / width)
	if err != nil {
		return sum, err
	}
	for unit := range done {
		first := unit * width
		last := min(first+width, m.N())
		if done[unit] {
			l.progress.Earlier(last - first)
			continue
		}
		counts, err := l.unit(uint32(unit), first, last)
		if err != nil {
			return sum, err
		}
		sum.Add(counts)
	}
	return sum, nil
}

// unit makes and commits the lists of some rows.
func (l *look) unit(unit uint32, first, last int) (job.Counts, error) {
	m := l.m
	found := candidates.New(last-first, m.K, m.Job.Threads)
	defer found.Free()
	for place := first; place < last; place++ {
		if key := m.bounds.Key(uint32(place)); key < float32(math.Inf(1)) {
			found.Limit(uint32(place-first), candidates.Ordered(key))
		}
	}
	lists := inner.Lists{Found: found, First: first, Keys: m.Keys, Threads: m.Job.Threads, Progress: l.progress.Add}
	pairs, err := l.Look(m.Ctx, lists, l.course.Reach(), l.from, l.to)
	if err != nil {
		return job.Counts{}, err
	}
	counts := job.Counts{Requested: pairs, Evaluated: pairs}
	note := solve.Note{Counts: counts, Steered: l.steered(&lists)}
	if err := m.Draft.CommitBlocks(m.StageNumber(), unit, l.blocks(&lists), note); err != nil {
		return counts, err
	}
	m.Keep()
	return counts, nil
}

// steered returns the lists of the steering rows.
func (l *look) steered(lists *inner.Lists) (noted []solve.Noted) {
	if l.m.Steer == nil {
		return nil
	}
	for _, place := range l.m.Steer.Places {
		if i := int(place) - lists.First; i >= 0 && i < lists.Found.N {
			n := solve.Noted{Place: place}
			for _, e := range lists.Found.Entries(uint32(i)) {
				n.Neighbors, n.Keys = append(n.Neighbors, e.Place()), append(n.Keys, candidates.KeyOf(e.Distance()))
			}
			noted = append(noted, n)
		}
	}
	return noted
}

// blocks returns the lists by stripes. Each block reuses the memory of the previous one.
func (l *look) blocks(lists *inner.Lists) iter.Seq2[uint32, *store.Lists] {
	width := l.m.stripePlaces()
	return func(yield func(uint32, *store.Lists) bool) {
		var block store.Lists
		for i := 0; i < lists.Found.N; {
			number := (lists.First + i) / width
			block.Reset()
			for ; i < lists.Found.N && (lists.First+i)/width == number; i++ {
				block.Append(uint32(lists.First+i), nil, nil)
				for _, e := range lists.Found.Entries(uint32(i)) {
					block.Add(e.Place(), candidates.KeyOf(e.Distance()))
				}
			}
			if !yield(uint32(number), &block) {
				return
			}
		}
	}
}
