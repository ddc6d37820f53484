package codes

import (
	"math"
	"slices"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Rounding turns elements into codes: floor((x - Offsets[i])*PerUnit + 128.5),
// at least 0 and at most 255, of the row divided by its norm where Unit is set: under cosine, and
// under correlation, where the mean of its elements is subtracted before.
// The zero value means that rows are codes already.
type Rounding struct {
	Offsets []float64 `json:"offsets,omitempty"`
	PerUnit float64   `json:"per_unit,omitempty"`
	Unit    bool      `json:"unit,omitempty"`

	// Robust says that outlying elements did not influence the rounding: they are clipped, and the few
	// rows that have them are outliers ([Matrix.Outliers]).
	Robust bool `json:"robust,omitempty"`
}

// fitElements is about the number of elements that a rounding is fitted on: about a hundred then lie
// beyond the quantile fitShare, and fitting takes some milliseconds.
const fitElements = 1 << 18

// fitShare is the share of elements that need not be clipped. Clipping the few
// that lie far out leaves finer steps for all others.
const fitShare = 0.9995

// clippedRows is the percentage of rows that FitRows lets be clipped. On images in 384 dimensions this
// makes steps a fifth larger than fitShare does, which clips 8 % of these rows.
const clippedRows = 3

// Fit chooses the rounding of rows under a metric that orders pairs as squared distances do: euclidean
// and sqeuclidean of the rows as they are, cosine and correlation of their directions. It looks at an
// evenly spread sample. ok is false for inner products, which no such rounding suits.
func Fit(rows *vectors.Rows, space *distance.Space) (r Rounding, ok bool) {
	if space.Metric() == distance.IP {
		return r, false
	}
	return fit(rows, space, space.NeedsNorms(), fitShare), true
}

// FitUnit is Fit for the directions of rows, under any metric: rows are divided by their norms.
func FitUnit(rows *vectors.Rows, space *distance.Space) Rounding {
	return fit(rows, space, true, fitShare)
}

// FitSample lists which of n rows Fit looks at. Fit makes the same rounding from these rows alone.
func FitSample(n, dim int) []uint32 {
	sample := make([]uint32, fitCount(n, dim))
	for i := range sample {
		sample[i] = uint32(fitAt(i, len(sample), n))
	}
	return sample
}

func fitCount(n, dim int) int { return min(n, max(256, fitElements/dim)) }

// fitAt is row i of count that are spread evenly over n.
func fitAt(i, count, n int) int { return int(int64(i) * int64(n) / int64(count)) }

// FitRows is Fit for callers that bound errors by residuals: it lets few rows have a large one. It
// suits inner products as well ([Matrix.Inner]).
func FitRows(rows *vectors.Rows, space *distance.Space) Rounding {
	return fit(rows, space, space.NeedsNorms(), 1-clippedRows/float64(100*rows.Dim()))
}

func fit(rows *vectors.Rows, space *distance.Space, unit bool, share float64) (r Rounding) {
	switch {
	case unit:
		r.Unit = true
	case rows.Type() == vectors.Uint8 || rows.Type() == vectors.Int8:
		return r
	}
	dim, count := rows.Dim(), fitCount(rows.Len(), rows.Dim())
	sample := make([]float64, count*dim)
	reader := newReader(rows, space, r.Unit)
	r.Offsets = make([]float64, dim)
	for i := range count {
		row := reader.read(fitAt(i, count, rows.Len()))
		for j, x := range row {
			sample[i*dim+j] = x
			r.Offsets[j] += x
		}
	}
	for j := range r.Offsets {
		r.Offsets[j] /= float64(max(count, 1))
	}
	apart := make([]float64, len(sample))
	for first := 0; first < len(sample); first += dim {
		row := apart[first:][:dim]
		for j, x := range sample[first:][:dim] {
			row[j] = math.Abs(x - r.Offsets[j])
		}
	}
	r.PerUnit = 1
	beyond := len(sample) - int(share*float64(len(sample)))
	if beyond <= 0 {
		return r
	}
	far := largest(apart, beyond)
	if outlying(apart, far, dim) {
		r.withoutOutliers(sample)
		return r
	}
	if far[0] > 0 {
		r.PerUnit = 127 / max(far[beyond-1], far[0]/farMost)
	}
	return r
}

// largest returns the m largest values, which are few, descending.
func largest(values []float64, m int) []float64 {
	far := make([]float64, 0, 2*m)
	cut := func() {
		slices.Sort(far)
		slices.Reverse(far)
		far = far[:min(m, len(far))]
	}
	least := math.Inf(-1)
	for _, x := range values {
		if x <= least {
			continue
		}
		if far = append(far, x); len(far) == 2*m {
			cut()
			least = far[m-1]
		}
	}
	cut()
	return far
}

// reader reads rows as float64, less their means under correlation, divided by their norms where
// unit is set.
type reader struct {
	rows  *vectors.Rows
	space *distance.Space
	unit  bool
	raw   []float32
	out   []float64
}

func newReader(rows *vectors.Rows, space *distance.Space, unit bool) *reader {
	return &reader{rows: rows, space: space, unit: unit, raw: make([]float32, rows.Dim()), out: make([]float64, rows.Dim())}
}

// raised returns row i as float32, less its mean under correlation, and the norm to divide it by.
func (r *reader) raised(i int) (row []float32, norm float64) {
	bytes := r.rows.Row(i)
	r.space.Centered(bytes, r.raw)
	if r.unit {
		norm = r.space.Norm(bytes)
	}
	if norm == 0 { // a zero row has no direction; callers refuse it or leave it out
		norm = 1
	}
	return r.raw, norm
}

// strays bounds the distance between a row of that norm, divided by the norm, and the row that read
// returns: under correlation, elements less the mean are rounded to float32.
func (r *reader) strays(norm float64) float64 {
	if r.space.Metric() != distance.Correlation {
		return 0
	}
	least := math.Sqrt(float64(len(r.raw))) * math.SmallestNonzeroFloat32 // of denormal elements
	return 1.0/(1<<24) + least/norm
}

func (r *reader) read(i int) []float64 {
	row, norm := r.raised(i)
	for j, x := range row {
		r.out[j] = float64(x) / norm
	}
	return r.out
}
