package codes

import (
	"math"
	"slices"
)

// A few rows or elements that lie very far out must not set the step of all others. Where a
// sample has such, the step is that of the others, around medians, and the few are clipped:
// who compares rows by codes has to look at them by themselves ([Matrix.Outliers]).

// Elements lie far out where the most distant one is so many times as far as what may be
// clipped anyway, or that is so many times as far as all but a hundredth. Of image descriptors
// these are 2 and 2, of normal values 1.5 and 1.4, of their third powers 5 and 2.5, of a
// log-normal of spread 2, which has no few far ones but ever fewer, 9 and 7.
const (
	farMost  = 64
	farUsual = 12
)

// usualShare is the share of the elements that tell the step where others lie far out, and
// usualRoom how much room beyond these it leaves.
const (
	usualShare = 0.99
	usualRoom  = 1.5
)

// outlyingRows is the largest share of rows that are taken for outliers: of more, what is far is
// what tells rows apart.
const outlyingRows = 0.02

// outlying reports whether elements of a few rows of so many dimensions lie far out, which are
// so distant; far are the most distant, descending.
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

// rowsBeyond is the share of rows with an element that is more distant.
func rowsBeyond(apart []float64, limit float64, dim int) float64 {
	rows := 0
	for row := range slices.Chunk(apart, dim) {
		if slices.Max(row) > limit {
			rows++
		}
	}
	return float64(rows*dim) / float64(len(apart))
}

// beyondUsual is how many of so many elements are not usual.
func beyondUsual(count int) int { return max(1, count-int(usualShare*float64(count))) }

// withoutOutliers has the usual elements of a sample of rows tell the rounding.
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

// outlierSteps is how far from its codes a row lies that is an outlier: clipped by a whole range.
const outlierSteps = 256

// Outliers are the rows that the rounding left out because they lie far out: at most some of
// them, if they are more than that.
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
