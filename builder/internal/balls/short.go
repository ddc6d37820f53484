package balls

import (
	"fmt"

	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/codes"
)

// shorten replaces the codes by short codes of all dimensions, if the rows allow it: AVX2 without VNNI
// compares them 1.7 times as fast, other kernels no slower. Every processor pays for the copy of the rows and
// the keys of the candidates, so that all make the same graph. As with codes along axes, candidates are
// ordered by their keys in the end.
func (r *reducing) shorten() error {
	m := r.m
	var recorded codes.Shortening
	known, err := m.Draft.Load("short", &recorded)
	switch {
	case err != nil:
		return err
	case known && recorded.Most > 0:
		p := m.Begin("short codes", "", 0)
		defer p.End("")
		r.short = offheap.Make[byte](m.Codes.ShortBytes())
		short, err := m.Codes.Short(recorded, r.short.Slice, m.Job.Threads)
		if err != nil {
			return fmt.Errorf("%w: short codes of the build: %w", store.ErrCorrupt, err)
		}
		goShort(&m.Points, short)
		return nil
	case known || len(m.State.Stages) > 0 || !m.shortens(int64(m.N())): // a version without short codes may have begun it
		return nil
	}
	return r.tryShort()
}

// tryShort uses short codes unless they lose too much, and records the choice.
func (r *reducing) tryShort() error {
	m := r.m
	p := m.Begin("short codes", "", 0)
	defer p.End("")
	fitted := m.Codes.Shortening()
	r.short = offheap.Make[byte](m.Codes.ShortBytes())
	short, err := r.choice().Short(m.Codes, fitted, r.short.Slice)
	if err != nil {
		return err
	}
	if short == nil {
		r.free()
		m.Say("short codes lose too much: rows are compared by bytes")
		return m.Draft.Record("short", &codes.Shortening{})
	}
	m.Say("codes of six bits for those from %d to %d", fitted.Least, fitted.Most)
	goShort(&m.Points, short)
	return m.Draft.Record("short", &fitted)
}

// goShort replaces the codes by short ones.
func goShort(ps *points.Points, short *codes.Matrix) { ps.Rounded, ps.Codes = nil, short }

// shortens reports whether short codes are tried, given the number of rows. If known keys are distances of
// codes, short codes would cost more than they save.
func (m *Method) shortens(rows int64) bool {
	return rows >= int64(ReduceRows) && !m.Set.AllAxes && !m.Inner() && m.Space.Metric().Coded() && !m.keysKnown()
}

// free frees the memory of short codes; nobody may use them afterwards.
func (r *reducing) free() {
	if r.short.Slice == nil {
		return
	}
	r.m.DropAxes()
	r.short.Free()
	r.short = offheap.Block[byte]{}
}
