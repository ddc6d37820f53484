package codes

import (
	"math"
	"slices"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// inner holds the terms by which codes compare inner products. With u = s (x - o), the rounding's
// offsets o and s steps a unit, c its code less 128, and r its residual,
//
//	s^2 <x, y>       = <u, v> + s^2 (<o, x-o> + <o, y-o> + <o, o>)
//	2 <c, c'>        = |c|^2 + |c'|^2 - D         where D is the distance of codes
//	|<u, v> - <c, c'>| <= r l' + r' l             where l = |c| + r is at least |u| and |c|
//
// All but the last line is a sum of one term a row. With these terms in the sums that tiles
// add, their distance is 2 s^2 times the key, up to a constant and twice the last line.
type inner struct {
	scale   float64 // of keys
	base    float64 // the inner product in codes that key 0 stands for
	slack   float64 // a bound on the rounding of float64
	lengths []float32
}

// Inner returns codes like m, the codes of rows, whose distances have the order of inner
// products, within the bounds of Residual and Length. ok is false where 32 bits do not
// hold them: where rows lie much further from zero than from each other.
func (m *Matrix) Inner(rows *vectors.Rows, space *distance.Space, threads int) (o *Matrix, ok bool, err error) {
	in := &inner{lengths: make([]float32, m.n)}
	own := *m
	own.inner, own.sums = in, slices.Clone(m.sums)
	offsets, perUnit := m.zero(rows)
	in.scale = 2 * perUnit * perUnit
	terms := make([]float64, m.n)
	err = vectors.Ranges(threads, m.n, fillRows, func() func(from, to int) error {
		read := newReader(rows, space, false)
		return func(from, to int) error {
			for i := from; i < to; i++ {
				squared := float64(m.sums[i].add + 128*128*uint32(rows.Dim()))
				length := math.Sqrt(squared) + float64(m.Residual(uint32(i)))
				in.lengths[i] = float32(2 * length * (1 + 1e-6))
				terms[i] = -squared - in.scale*along(offsets, read.read(i))
			}
			return nil
		}
	})
	if err != nil {
		return nil, false, err
	}
	return &own, own.add(terms, offsets, perUnit), nil
}

// zero is where codes have theirs, and the steps of a unit.
func (m *Matrix) zero(rows *vectors.Rows) (offsets []float64, perUnit float64) {
	switch {
	case !m.Exact():
		return m.rounding.Offsets, m.rounding.PerUnit
	case rows.Type() == vectors.Uint8:
		return slices.Repeat([]float64{128}, rows.Dim()), 1
	}
	return make([]float64, rows.Dim()), 1
}

// along is the inner product of the offsets and the row less the offsets.
func along(offsets, row []float64) (sum float64) {
	for j, x := range row {
		sum += offsets[j] * (x - offsets[j])
	}
	return sum
}

// add adds the terms of rows to their sums, from the least one on, and reports whether
// all distances then fit 32 bits.
func (m *Matrix) add(terms, offsets []float64, perUnit float64) bool {
	if m.n == 0 {
		return true
	}
	least, longest := slices.Min(terms), float64(slices.Max(m.inner.lengths))
	// Codes are at most the longest apart, as long as that is twice a row.
	if !(longest*longest+2*(slices.Max(terms)-least) < math.MaxUint32-1) {
		return false
	}
	for i, term := range terms {
		more := uint32(term - least)
		m.sums[i].norm += more
		m.sums[i].add += more
	}
	var squared float64
	for _, x := range offsets {
		squared += x * x
	}
	in := m.inner
	far := math.Sqrt(squared) + longest/perUnit // no row is longer
	in.slack = in.scale*float64(len(offsets)+16)*far*far/(1<<50) + 1
	in.base = in.scale*squared - 2*least
	return !math.IsNaN(in.base) && !math.IsInf(in.base, 0)
}

// limit is the largest distance, were codes exact, of rows whose key is at most key.
func (in *inner) limit(key float32) float64 {
	w := max(float64(key), -math.MaxFloat32)               // what is less has that key, infinite, as well
	w += math.Abs(w)/(1<<23) + math.SmallestNonzeroFloat32 // keys are rounded
	return in.scale*w + in.base + in.slack
}
