package builder

import (
	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// Order is the locality order of the rows given, whose codes it leaves.
func (r *run) ballOrder(given *vectors.Rows, progress func(int)) (order []uint32, err error) {
	if r.Codes, err = r.RoundedRows(given); err != nil {
		return nil, err
	}
	return leaves.Order(r.Ctx, r.balls(r.Codes, 1), progress)
}

// rounding is that of the build, which is fitted on rows the first time.
func (r *run) rounding(rows *vectors.Rows) (rounding codes.Rounding, err error) {
	record := "rounding"
	if r.Use == points.PairCodes && r.State.Steer > 0 { // another method had one of its own
		record = "rounding-pairs"
	}
	known, err := r.Draft.Load(record, &rounding)
	if err != nil || known {
		return rounding, err
	}
	rounding = r.Fitted(rows)
	return rounding, r.Draft.Record(record, rounding)
}

// balls is the divider of the balls method.
func (r *run) balls(m *codes.Matrix, overlap int) *division.Balls {
	return &division.Balls{Codes: m, Seed: r.opts.Seed, LeafSize: r.opts.LeafSize, Overlap: overlap, Threads: r.opts.Threads}
}
