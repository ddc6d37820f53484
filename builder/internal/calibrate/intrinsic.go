package calibrate

import (
	"context"
	"math"
	"slices"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/vectors"
)

// IntrinsicDim estimates the intrinsic dimension of some rows from the distances of their codes (Levina,
// Bickel 2005, "Maximum likelihood estimation of intrinsic dimension"), with the mean of inverses (MacKay,
// Ghahramani). It returns 0 if there are no codes.
func IntrinsicDim(ctx context.Context, ps *points.Points) (float64, error) {
	n := ps.Rows.Len()
	if ps.Codes == nil || n < 2*intrinsicK {
		return 0, nil
	}
	found := candidates.New(n, intrinsicK, 1)
	defer found.Free()
	if err := solveApart(ctx, ps, found, ps.Numbers(n)); err != nil {
		return 0, err
	}
	sum, count := 0.0, 0
	for p := range uint32(n) {
		m := found.Len(p)
		if m < 2 {
			continue
		}
		far := float64(found.At(p, m-1).Distance())
		var logs float64
		used := 0
		for i := range m - 1 {
			if d := float64(found.At(p, i).Distance()); d > 0 && far > 0 {
				logs += math.Log(far/d) / 2 // squared
				used++
			}
		}
		if used > 0 {
			sum += logs / float64(used)
			count++
		}
	}
	if count == 0 || sum == 0 {
		return 0, nil
	}
	return float64(count) / sum, nil
}

// solveApart solves one leaf with empty lists on all threads.
func solveApart(ctx context.Context, ps *points.Points, found *candidates.Lists, leaf []uint32) error {
	share := (len(leaf) + ps.Threads - 1) / ps.Threads
	return vectors.Ranges(ps.Threads, len(leaf), share, func() func(from, to int) error {
		w, own := leaves.NewTile(ps.Codes, found), slices.Clone(leaf)
		return func(from, to int) error {
			w.Compare(own, leaf[from:to])
			return ctx.Err()
		}
	})
}

// intrinsicK is the number of neighbors in the sample from which the dimension is estimated.
const intrinsicK = 20
