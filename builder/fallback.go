package builder

import (
	"sync/atomic"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/builder/propagation"
	"github.com/knng/knng/vectors"
)

// Stages of the balls method by keys: divisions by hyperplanes, which tell rows apart at any
// scale, and joins; and how a build goes over to keys, or to all pairs.

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
		tree := m.Tree(m.Rows, m.Norms, m.Order, nil)
		tree.LeafSize = m.KeyedLeaf()
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
	m.Say("%s", build.AllInstead)
	if err := m.rerank(); err != nil {
		return err
	}
	after := m.State.WithStage(m.State.Changed(job.ListsStage))
	after.Method = string(Exact)
	after.Side = m.BlockSide()
	if err := m.Draft.Record(job.AheadRecord, &after); err != nil {
		return err
	}
	if err := m.Fold(uint32(len(after.Stages))); err != nil {
		return err
	}
	m.State, m.Unsaved = after, 0
	m.Lists = nil // they lived in the memory of the candidates
	return m.ExactInstead()
}
