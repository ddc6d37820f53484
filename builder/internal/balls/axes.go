package balls

import (
	"fmt"

	"github.com/knng/knng/builder/internal/axes"
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/builder/screen"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/codes"
)

// reduceDim and ReduceRows are the least dimensions and rows for which the balls method looks for axes to
// compare codes along. Finding them takes 65 ms on GIST (60,000 rows of 384), where a division takes 130 ms,
// and 80 to 110 ms along them. It takes 95 ms on MNIST (70,000 of 784), whose divisions then take 140 ms
// instead of 400, and whose candidates 60 instead of 10, as bytes are then not keys.
const reduceDim = 256

// ReduceRows is a variable for tests.
var ReduceRows = 32768

// reduceLossOfRest and reduceLoss bound the share of a row's neighbors that axes may keep from its
// candidates: as a share of 1 - target, and absolutely. With 0.1 for the first, GIST takes 0.94 s instead of
// 0.905 to 0.95, MNIST 0.69 s instead of 0.68.
const reduceLossOfRest, reduceLoss = 0.2, 0.01

// reducing replaces the codes of rows by codes along fewer axes, or by short codes, if these lose little.
type reducing struct {
	m     *Method
	short offheap.Block[byte] // memory of short codes, if they are used
}

// reduce replaces the codes by codes along fewer axes than there are dimensions, if the rows allow it. From
// then on recall on the steering rows is measured by these codes, and reranking corrects the errors of axes.
// The rows that report recall use full codes again.
func (r *reducing) reduce() error {
	m := r.m
	var recorded codes.Axes
	known, err := m.Draft.Load("axes", &recorded)
	switch {
	case err != nil:
		return err
	case known && recorded.Count > 0:
		p := m.Begin("axes", "", 0)
		defer p.End("")
		nested, err := m.Codes.Nested(&recorded, m.Job.Threads)
		if err != nil {
			return fmt.Errorf("%w: axes of the build: %w", store.ErrCorrupt, err)
		}
		return goAlong(&m.Points, &recorded, nested)
	case known || len(m.State.Stages) > 0 || !reducible(m.Build, int64(m.N())): // a version without axes may have begun it
		return r.shorten()
	}
	return r.chooseAxes()
}

// chooseAxes chooses axes, or none, and records the choice.
func (r *reducing) chooseAxes() error {
	m := r.m
	p := m.Begin("axes", "", 0)
	defer p.End("")
	chosen, err := r.choice().Choose(m.Codes)
	if err != nil {
		return err
	}
	if chosen == nil {
		if err := m.Draft.Record("axes", &codes.Axes{}); err != nil {
			return err
		}
		return r.shorten()
	}
	m.Say("codes of %s along %d axes for %d dimensions", bits(chosen.Axes), chosen.Axes.Count, m.Space.Dim())
	if err := goAlong(&m.Points, chosen.Axes, chosen.Codes); err != nil {
		return err
	}
	return m.Draft.Record("axes", chosen.Axes)
}

func bits(a *codes.Axes) string {
	if a.Short {
		return "six bits"
	}
	return "eight bits"
}

// choice returns the conditions by which fewer or shorter codes are chosen.
func (r *reducing) choice() axes.Choice {
	m := r.m
	near := func(rounded *codes.Matrix, rows []uint32, k int) ([][]uint32, error) {
		return nearByCodes(m.Build, rounded, rows, k)
	}
	c := axes.Choice{K: m.K, Candidates: m.candidatesK(), Threads: m.Job.Threads, Near: near}
	if m.Steer != nil {
		c.Truth = axes.Lists{Rows: m.Steer.Places, Neighbors: build.NeighborsOf(m.Steer)}
	}
	c.Loss = min(reduceLossOfRest*(1-m.opts.Aim), reduceLoss)
	return c
}

// nearByCodes returns the nearest k rows of a matrix to some of them, by codes.
func nearByCodes(b *build.Build, rounded *codes.Matrix, rows []uint32, k int) ([][]uint32, error) {
	search := recall.Search{K: min(k, rounded.Len()-1), Threads: b.Job.Threads}
	lists, _, err := search.Screened(b.Ctx, rounded.Len(), rounded.Dim(), rows, func() screen.Screen { return screen.Codes(rounded) },
		func() recall.Keys { return nil }) // the codes are the keys
	if err != nil {
		return nil, err
	}
	return build.NeighborsOf(lists), nil
}

// goAlong replaces the codes by those along the chosen axes; the leading axes find near leaders.
func goAlong(ps *points.Points, chosen *codes.Axes, along *codes.Nested) (err error) {
	ps.Rounded, ps.Axes = nil, chosen.Count
	if ps.Codes, err = along.First(chosen.Count); err != nil {
		return err
	}
	if err = ps.Codes.Narrow(ps.Threads); err != nil {
		return err
	}
	if 0 < chosen.Lead && chosen.Lead < chosen.Count {
		ps.Lead, err = along.First(chosen.Lead)
	}
	return err
}

// reducible reports whether the method looks for axes, given the number of rows.
func reducible(b *build.Build, rows int64) bool {
	return b.Space.Dim() >= reduceDim && rows >= int64(ReduceRows) && !b.Set.AllAxes
}

// axesBytes returns a bound on the memory of a row's codes along axes, its sums and residuals, which are at
// most twice these, and its narrow codes.
func axesBytes(dim int) int64 { return int64(axes.Most((dim+3)/4*4)) + 24 + 5 }
