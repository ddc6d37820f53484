package codes

import (
	"math"
	"slices"
)

// A few rows or elements that lie very far out must not set the step for all others. If a sample has
// such outliers, the step is fitted on the others, around medians, and the outliers are clipped. A
// caller that compares rows by codes must treat them separately ([Matrix.Outliers]).

// A sample has outliers if one of two ratios of distances from the middle is large: that of the most
// distant element to the quantile that may be clipped anyway, or of this quantile to that of 99 %. The
// two ratios are 2 and 2 for image descriptors, 1.5 and 1.4 for normal values, 5 and 2.5 for their third
// powers, 9 and 7 for log-normal values of spread 2, whose tail has no gap.
const (
	farMost  = 64
	farUsual = 12
)

// usualShare is the share of the elements that the step is fitted on if there are outliers; usualRoom is
// the factor of room that it leaves beyond them.
const (
	usualShare = 0.99
	usualRoom  = 1.5
)

// outlyingRows is the largest share of rows that count as outliers. If more rows lie far out, the
// distant elements are what distinguishes rows.
const outlyingRows = 0.02

// outlying reports whether a few rows of dim elements lie far out. apart holds the distances of the
// sample's elements; far the largest of them, descending.
func outlying(apart, far []float64, dim int) bool {
	last := far[len(far)-1]
	if far[0] > farMost*last {
		return rowsBeyond(apart, far[0]/farMost, dim) <= outlyingRows
	}
	few := max(len(far), beyondUsual(len(apart)))
	if usualReach(apart, last, few) {
		return false
	}
	usual := largest(apart, few)
	limit := farUsual * usual[len(usual)-1]
	return last > limit && rowsBeyond(apart, limit, dim) <= outlyingRows
}

// usualReach reports whether so many elements are at least as distant as one that, farUsual times as far, is as
// distant as the last of those that may be clipped: few are looked at in place of all, most of the time.
func usualReach(apart []float64, last float64, few int) bool {
	for _, x := range apart {
		if farUsual*x >= last {
			if few--; few == 0 {
				return true
			}
		}
	}
	return false
}

// rowsBeyond returns the share of rows with an element beyond limit.
func rowsBeyond(apart []float64, limit float64, dim int) float64 {
	rows := 0
	for row := range slices.Chunk(apart, dim) {
		if slices.Max(row) > limit {
			rows++
		}
	}
	return float64(rows*dim) / float64(len(apart))
}

// beyondUsual returns how many of count elements the step is not fitted on.
func beyondUsual(count int) int { return max(1, count-int(usualShare*float64(count))) }

// withoutOutliers fits the rounding on a sample of rows without its outlying elements.
func (r *Rounding) withoutOutliers(sample []float64) {
	dim := len(r.Offsets)
	column := make([]float64, len(sample)/dim)
	apart := make([]float64, len(sample))
	for j := range dim {
		for i := range column {
			column[i] = sample[i*dim+j]
		}
		slices.Sort(column)
		r.Offsets[j] = column[len(column)/2]
	}
	for i, x := range sample {
		apart[i] = math.Abs(x - r.Offsets[i%dim])
	}
	far := largest(apart, beyondUsual(len(apart)))
	if usual := far[len(far)-1]; usual > 0 {
		r.PerUnit, r.Robust = 127/(usualRoom*usual), true
		return
	}
	// Nearly all elements are the median: the others tell the step.
	r.PerUnit = 127 / far[0]
}

// outlierSteps is the residual from which a row is an outlier: the whole range of codes.
const outlierSteps = 256

// Outliers returns the rows that are clipped because they lie far out. all is false if there are more
// than most, of which it returns the first.
func (m *Matrix) Outliers(most int) (places []uint32, all bool) {
	if !m.rounding.Robust {
		return nil, true
	}
	for i, residual := range m.residuals {
		if residual > outlierSteps {
			if len(places) == most {
				return places, false
			}
			places = append(places, uint32(i))
		}
	}
	return places, true
}
