// Package axis finds the direction of largest variance of a set of rows by the
// Lanczos recurrence, and projects rows on it; chenfs09 and virmajoki divide by
// it. Unlike the divider of package builder/division it looks at all rows of the
// set, as these papers do, and nothing random is in it but its first vector. Rows are
// decoded once and summed by gonum's kernels.
package axis

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/knng/knng/bench/baseline"
)

// Steps is the length of the recurrence where nothing else is asked for. Its Ritz vector
// after 8 steps carries about 99 % of the largest variance of image descriptors.
const Steps = 8

// Finder holds buffers for the sets of one matrix.
type Finder struct {
	x      *baseline.Points
	floats []float32 // all rows
	sums   []float64 // products of rows with a direction
	part   []float32 // of a sum of rows
	dir    []float32
	mean   []float64
	basis  [][]float64
	w      []float64
}

// NewFinder makes a finder for rows, by a recurrence of so many steps.
func NewFinder(x *baseline.Points, steps int) *Finder {
	f := &Finder{x: x, floats: make([]float32, x.Len()*x.Dim()), part: make([]float32, x.Dim()), dir: make([]float32, x.Dim()), mean: make([]float64, x.Dim()), w: make([]float64, x.Dim()), basis: make([][]float64, steps)}
	for i := range x.Len() {
		x.Space.Float32(x.Row(i), f.row(uint32(i)))
	}
	for i := range f.basis {
		f.basis[i] = make([]float64, x.Dim())
	}
	return f
}

func (f *Finder) row(id uint32) []float32 {
	at := int(id) * len(f.dir)
	return f.floats[at : at+len(f.dir)]
}

// sumRows is how many rows are summed up in float32 before they are added in float64.
const sumRows = 64

// sum sets to to the sum of the rows, row i weighed by weight(i).
func (f *Finder) sum(to []float64, ids []uint32, weight func(i int) float32) {
	clear(to)
	y := blas32.Vector{N: len(f.part), Inc: 1, Data: f.part}
	for from := 0; from < len(ids); from += sumRows {
		clear(f.part)
		for i := from; i < min(from+sumRows, len(ids)); i++ {
			blas32.Axpy(weight(i), blas32.Vector{N: len(f.part), Inc: 1, Data: f.row(ids[i])}, y)
		}
		for j, v := range f.part {
			to[j] += float64(v)
		}
	}
}

// Project returns the projection of every row of ids on their principal
// direction, relative to that of their mean. The slice is the caller's.
func (f *Finder) Project(ids []uint32, rng *rand.Rand) []float32 {
	f.principal(ids, rng)
	middle := f.products(ids)
	out := make([]float32, len(ids))
	for i, s := range f.sums {
		out[i] = float32(s - middle)
	}
	return out
}

// products sets sums to the products of rows with dir, and returns that of the mean.
func (f *Finder) products(ids []uint32) (middle float64) {
	f.sums = slices.Grow(f.sums[:0], len(ids))[:len(ids)]
	f.x.Space.Dot(f.dir, f.x.Base(), f.x.Stride(), ids, f.sums)
	for i, m := range f.mean {
		middle += m * float64(f.dir[i])
	}
	return middle
}

// principal sets dir to the leading Ritz vector of the covariance of the rows.
func (f *Finder) principal(ids []uint32, rng *rand.Rand) {
	f.sum(f.mean, ids, func(int) float32 { return 1 })
	for i := range f.mean {
		f.mean[i] /= float64(len(ids))
	}
	for i := range f.w {
		f.w[i] = rng.NormFloat64()
	}
	steps := len(f.basis)
	alpha, beta := make([]float64, steps), make([]float64, steps)
	m := 0
	for m < steps {
		norm := math.Sqrt(dot(f.w, f.w))
		if norm <= 1e-9*alpha[0] || norm == 0 {
			break // the space is exhausted
		}
		if m > 0 {
			beta[m-1] = norm
		}
		for i, v := range f.w {
			f.basis[m][i] = v / norm
		}
		f.covariance(ids, f.basis[m])
		alpha[m] = dot(f.w, f.basis[m])
		m++
		for range 2 { // twice is enough (Parlett)
			for _, q := range f.basis[:m] {
				c := dot(f.w, q)
				for i := range f.w {
					f.w[i] -= c * q[i]
				}
			}
		}
	}
	f.combine(leading(alpha[:m], beta[:max(m, 1)-1]))
}

// covariance sets w to the sum over rows of <row - mean, v> (row - mean).
func (f *Finder) covariance(ids []uint32, v []float64) {
	for i, x := range v {
		f.dir[i] = float32(x)
	}
	middle := f.products(ids)
	var total float64
	f.sum(f.w, ids, func(i int) float32 {
		c := float32(f.sums[i] - middle)
		total += float64(c)
		return c
	})
	for j, x := range f.mean {
		f.w[j] -= total * x
	}
}

// combine sets dir to the basis vectors weighed by y.
func (f *Finder) combine(y []float64) {
	clear(f.w)
	for m, c := range y {
		for i, q := range f.basis[m] {
			f.w[i] += c * q
		}
	}
	for i, x := range f.w {
		f.dir[i] = float32(x)
	}
}

// leading is the leading eigenvector of a symmetric tridiagonal matrix without
// negative eigenvalues, by power iteration: where two eigenvalues are nearly the
// same, any mixture of their vectors divides as well.
func leading(alpha, beta []float64) []float64 {
	y, z := make([]float64, len(alpha)), make([]float64, len(alpha))
	for i := range y {
		y[i] = 1
	}
	for range 200 {
		for i := range z {
			z[i] = alpha[i] * y[i]
			if i > 0 {
				z[i] += beta[i-1] * y[i-1]
			}
			if i < len(beta) {
				z[i] += beta[i] * y[i+1]
			}
		}
		norm := math.Sqrt(dot(z, z))
		if norm == 0 {
			break
		}
		for i := range y {
			y[i] = z[i] / norm
		}
	}
	return y
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
