// Package buildtest makes builds for the tests of the rooms of package builder, and exact lists to
// compare theirs with.
package buildtest

import (
	"cmp"
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// New returns a build over rows, none of them bad, with a draft of its own: rows stand in the order of
// the input, and lists have at most k neighbors. It is over with the test.
func New(t testing.TB, rows *vectors.Rows, space *distance.Space, k int) *build.Build {
	t.Helper()
	n := rows.Len()
	draft, err := store.OpenDraft(filepath.Join(t.TempDir(), "g"), store.Manifest{Rows: n, Dim: rows.Dim(), Type: rows.Type().String(),
		Metric: space.Metric().String(), K: k, Vectors: "copy"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	scratch, err := draft.ScratchDir()
	if err != nil {
		t.Fatal(err)
	}
	b := &build.Build{Source: vectors.NewInput(rows), Good: build.InputOrder(n), Set: build.Settings{K: k, Seed: 1},
		Job:    job.Job{Ctx: t.Context(), Threads: 2, Draft: draft, Scratch: scratch},
		Points: points.Points{Space: space, Threads: 2, Rows: rows, Order: build.InputOrder(n), K: min(k, n-1)}}
	if b.Norms, err = b.NormsOf(rows); err != nil {
		t.Fatal(err)
	}
	stop := b.Watch()
	t.Cleanup(func() {
		stop()
		draft.Close()
	})
	return b
}

// Nearest returns the k nearest of all other rows to a row, ascending by (key, row).
func Nearest(rows *vectors.Rows, space *distance.Space, row, k int) (ids []uint32, keys []float32) {
	type neighbor struct {
		row uint32
		key float32
	}
	var all []neighbor
	x := rows.Row(row)
	for i := range rows.Len() {
		if y := rows.Row(i); i != row {
			all = append(all, neighbor{uint32(i), space.Key(x, y, space.Norm(x), space.Norm(y))})
		}
	}
	slices.SortFunc(all, func(a, b neighbor) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row)) })
	for _, a := range all[:min(k, len(all))] {
		ids, keys = append(ids, a.row), append(keys, a.key)
	}
	return ids, keys
}

// Idle is a method without stages, whose order is given.
type Idle struct {
	Order   []uint32
	Kind    plan.Kind
	Settled int     // calls
	Recall  float64 // of every list
	Lost    float64 // share of the lists that have no neighbor all the same
}

func (m *Idle) Forecast(s *plan.Shape)              { s.Kind = m.Kind }
func (m *Idle) Expected(*plan.Aim) (int, float64)   { return 4, 1 }
func (m *Idle) Settle()                             { m.Settled++ }
func (m *Idle) Resume() error                       { return nil }
func (m *Idle) Prepare() error                      { return nil }
func (m *Idle) Next() (kind, stop string)           { return "", "idle" }
func (m *Idle) Writes(string) (int64, int64, error) { return 0, 0, nil }
func (m *Idle) Stage(string) error                  { return nil }
func (m *Idle) Finish() error                       { return nil }
func (m *Idle) Free()                               {}
func (m *Idle) Recalls(l *recall.Lists) ([]float64, error) {
	per := slices.Repeat([]float64{m.Recall}, len(l.Places))
	clear(per[:int(m.Lost*float64(len(per)))])
	return per, nil
}
func (m *Idle) Arrange(*vectors.Rows, func(int)) ([]uint32, error) {
	return slices.Clone(m.Order), nil
}
