package builder

import (
	"fmt"
	"sync/atomic"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/propagation"
	"github.com/knng/knng/vectors"
)

// Stages of the balls method by keys: divisions by hyperplanes, which tell rows apart at any
// scale, and joins; and how a build goes over to keys, or to all pairs.

// keyedLeaf is the size of leaves by keys: half of those by codes, as a pair costs more.
func (r *run) keyedLeaf() int { return max(r.opts.LeafSize/2, 4*r.opts.K, 4) }

// joiner returns one goroutine's joiner, by codes or by keys.
func (m *ballsMethod) joiner() *propagation.Join {
	if !m.Keyed {
		return m.round.Join(m.Codes)
	}
	c := leaves.Comparer(&m.Points, m.found)
	return m.round.JoinBy(func(all []uint32, fresh int) error {
		_, err := c.Among(all, fresh)
		return err
	})
}

// divideKeyed makes a division by hyperplanes for each leaf that a row is to stand in, solves
// the leaves, and returns how many pairs were compared.
func (m *ballsMethod) divideKeyed(number, stands int, p *phase) (int64, error) {
	var pairs atomic.Int64
	for i := range stands {
		tree := m.tree(m.Rows, m.Norms, m.Order, nil)
		tree.LeafSize = m.keyedLeaf()
		divided, err := tree.Divide(m.Ctx, uint32(number*job.Overlap+i))
		if err != nil {
			return 0, err
		}
		if err := m.solveKeyed(divided, &pairs, p); err != nil {
			return 0, err
		}
	}
	return pairs.Load(), nil
}

func (m *ballsMethod) solveKeyed(divided *division.Leaves, pairs *atomic.Int64, p *phase) error {
	return vectors.Ranges(m.opts.Threads, divided.Len(), 1, func() func(from, to int) error {
		solve := leaves.Solver(&m.Points, m.found)
		return func(i, _ int) error {
			leaf := divided.Leaf(i)
			if err := solve(leaf); err != nil {
				return err
			}
			pairs.Add(int64(len(leaf)) * int64(len(leaf)-1) / 2)
			p.Add(len(leaf))
			return m.Ctx.Err()
		}
	})
}

// goKeyed goes over to keys: all lists are made anew from their candidates.
func (m *ballsMethod) goKeyed() error {
	p := m.Begin("keys", "rows", int64(m.N()))
	defer p.End("codes tell no more: rows are compared by their keys")
	m.freeRound()
	err := vectors.Apart(m.opts.Threads, m.N(), 1024, func() func(from, to int) error {
		c := leaves.Comparer(&m.Points, m.found)
		return func(from, to int) error {
			for place := from; place < to; place++ {
				if err := c.Rekey(uint32(place)); err != nil {
					return err
				}
			}
			p.Add(to - from)
			return m.Ctx.Err()
		}
	})
	if err != nil {
		return err
	}
	m.Keyed = true
	st := m.State.Changed(job.KeysStage)
	if err := m.look(&st); err != nil {
		return err
	}
	return m.endBallStage(st)
}

// goExact has the exact method go on from the candidates at hand: their lists by key are
// folded, and the fold makes the state count that has them.
func (m *ballsMethod) goExact() error {
	m.Say("%s", allInstead)
	if err := m.rerank(); err != nil {
		return err
	}
	after := m.State.WithStage(m.State.Changed(job.ListsStage))
	after.Method = string(Exact)
	after.Side = m.exactSide()
	if err := m.Draft.Record(job.AheadRecord, &after); err != nil {
		return err
	}
	if err := m.fold(uint32(len(after.Stages))); err != nil {
		return err
	}
	m.State, m.Unsaved = after, 0
	m.lists = nil // they lived in the memory of the candidates
	return m.takeExact(m)
}

// goExact has the exact method go on from the lists at hand, which are on disk as well.
func (m *paperMethod) goExact() error {
	m.Say("%s", allInstead)
	m.State = m.State.WithStage(m.State.Changed(job.ListsStage))
	m.State.Side = m.exactSide()
	m.lists.Free()
	m.lists = nil
	return m.takeExact(m)
}

const allInstead = "divisions and joins pay no longer: all pairs are compared"

// exactSide is how many rows a block of the exact method has.
func (r *run) exactSide() int {
	m := &exactMethod{run: r}
	side := r.State.Side
	m.settle()
	side, r.State.Side = r.State.Side, side
	return side
}

// takeExact goes over to the exact method, which takes up what is on disk, and gives back what
// the method before it held.
func (r *run) takeExact(before method) error {
	before.free()
	r.Screening = points.Screening{Use: r.Use, Fit: r.Fit}
	r.Keyed = false
	r.take(Exact)
	if err := r.Save(); err != nil {
		return err
	}
	if r.Norms == nil {
		var err error
		if r.Norms, err = r.NormsOf(r.Rows); err != nil {
			return err
		}
	}
	return r.method.resume()
}

// ahead takes up a state that was recorded before a fold which then came to count.
func (r *run) ahead() error {
	if r.State.Method != string(Balls) {
		return nil
	}
	folded, ok, err := r.Draft.Folded()
	if err != nil || !ok || int(folded) <= len(r.State.Stages) {
		return err
	}
	runs := r.State.Runs // of which this is one more
	known, err := r.Draft.Load(job.AheadRecord, &r.State)
	if err == nil && !known {
		err = fmt.Errorf("builder: lists of %d stages without their state", folded)
	}
	r.State.Runs = runs
	return err
}
