package postings

import (
	"math"

	"github.com/knng/knng/vectors/distance"
)

// weights are lengths of rows, by place.
type weights struct {
	norms    []float64 // under cosine; nil under ip
	inverse  []float64 // 1 over the norm; 1 under ip
	frequent [levels + 1][]float32
	// frequent[l] is the norm over the frequent columns of level l, times inverse, rounded up
}

func (w *weights) make(r *run) {
	n := r.rows.Len()
	w.inverse = make([]float64, n)
	if r.opts.Metric == distance.Cosine {
		w.norms = make([]float64, n)
	}
	for l := 1; l <= levels; l++ {
		w.frequent[l] = make([]float32, n)
	}
	for i := range n {
		w.inverse[i] = 1
		if w.norms != nil {
			w.norms[i] = r.rows.Norm(i)
			w.inverse[i] = 1 / w.norms[i]
		}
		for l, norm := range r.frequentNorms(i) {
			if l > 0 {
				w.frequent[l][i] = up(norm * w.inverse[i])
			}
		}
	}
}

// frequentNorms are the norms of a row over the frequent columns of each level.
func (r *run) frequentNorms(i int) (norms [levels + 1]float64) {
	columns, values := r.rows.Row(i)
	for j, c := range columns {
		number := r.index.number[c]
		for l := levels; l > 0 && number >= r.index.splits[l]; l-- {
			norms[l] += float64(values[j]) * float64(values[j])
		}
	}
	for l := range norms {
		norms[l] = math.Sqrt(norms[l])
	}
	return norms
}

// up is x rounded up, by more than the errors of its arithmetic.
func up(x float64) float32 {
	return math.Nextafter32(float32(x*(1+1e-6)), float32(math.Inf(1)))
}

// norm is the norm of a place, where keys need it.
func (w *weights) norm(place int) float64 {
	if w.norms == nil {
		return 0
	}
	return w.norms[place]
}

// floor returns a product, times the inverse of the other row's norm, below which the key of
// a row of this norm is above worst.
func (w *weights) floor(norm, worst float64) float64 {
	const rounding = 5e-7 // of a key up to 2 to float32, and of the arithmetic before
	switch {
	case math.IsInf(worst, 1):
		return math.Inf(-1)
	case w.norms != nil:
		return (1 - worst - rounding) * norm
	}
	return -worst - math.Abs(worst)*rounding - math.SmallestNonzeroFloat32
}
