package balls

import (
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/vectors"
)

// A build switches to keys, or to all pairs, if codes or divisions stop paying.

// goKeyed switches to keys: it remakes all lists from their candidates.
func (m *Method) goKeyed() error {
	p := m.Begin("keys", "rows", int64(m.N()))
	defer p.End("codes tell no more: rows are compared by their keys")
	m.joins.free()
	err := vectors.Apart(m.Job.Threads, m.N(), 1024, func() func(from, to int) error {
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

// goExact continues with the exact method from the present candidates. It writes their lists by key as a
// fold; with the fold, the state that belongs to it takes effect.
func (m *Method) goExact() error {
	m.Say("%s", build.AllInstead)
	after := m.State.WithStage(m.State.Changed(job.ListsStage))
	m.SettleExact(&after)
	if after.Tiers > 0 {
		if err := m.KeepTiers(prospects{m}.tiers()); err != nil {
			return err
		}
	}
	if err := m.rerank(); err != nil {
		return err
	}
	after.Method = job.ExactMethod
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
