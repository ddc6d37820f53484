package build

import (
	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// BallOrder returns the locality order of the given rows by balls, and leaves their codes with
// the points.
func (b *Build) BallOrder(given *vectors.Rows, progress func(int)) (order []uint32, err error) {
	if b.Codes, err = b.RoundedRows(given); err != nil {
		return nil, err
	}
	return leaves.Order(b.Ctx, b.Balls(b.Codes, 1), progress)
}

// Rounding returns the rounding of the build's codes, which is fitted on rows the first time.
func (b *Build) Rounding(rows *vectors.Rows) (rounding codes.Rounding, err error) {
	record := "rounding"
	if b.Use == points.PairCodes && b.State.Steer > 0 { // another method had its own rounding
		record = "rounding-pairs"
	}
	known, err := b.Draft.Load(record, &rounding)
	if err != nil || known {
		return rounding, err
	}
	rounding = b.Fitted(rows)
	return rounding, b.Draft.Record(record, rounding)
}

// Balls returns the divider of the balls method.
func (b *Build) Balls(m *codes.Matrix, overlap int) *division.Balls {
	return &division.Balls{Codes: m, Seed: b.Set.Seed, LeafSize: b.Set.LeafSize, Overlap: overlap, Threads: b.Job.Threads}
}

// Tree returns the divider over rows whose place i is input row rowOf[i].
func (b *Build) Tree(rows *vectors.Rows, norms []float64, rowOf []uint32, progress func(int)) *division.Tree {
	return &division.Tree{
		Space: b.Space, Base: rows.Base(), Stride: rows.Stride(), Dim: rows.Dim(), Norms: norms,
		RowOf: rowOf, N: rows.Len(), Seed: b.Set.Seed, LeafSize: b.Set.LeafSize, Sample: b.Set.Sample,
		Random: b.Set.Random, Threads: b.Job.Threads, Progress: progress,
	}
}

// CountCodes adds the codes of all rows to a shape.
func (b *Build) CountCodes(s *plan.Shape) {
	s.CodeBytes, s.ViewCodes = b.CodeBytes(1), b.Space.RowsAreCodes()
	s.Inner = !b.Space.Metric().Gathers()
}

// FirstLists returns the least bytes that the first stage writes: it finds a list for nearly every row,
// packed, and some lists are short.
func (b *Build) FirstLists() int64 {
	if len(b.State.Stages) > 0 {
		return 0
	}
	return job.ListBytes(b.N(), b.K) / 3
}

// InputOrder returns the order of n rows as they are in the input.
func InputOrder(n int) []uint32 {
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	return order
}
