package division

import "math"

// steps is the length of the Lanczos recurrence. With 8 the Ritz value is
// within about a percent of the largest eigenvalue on image descriptors, and a
// division needs no more: a direction close to the principal one separates
// neighbors as well.
const steps = 8

// lanczos finds the leading eigenvector of a symmetric positive semidefinite
// operator on R^n by the Lanczos recurrence (Lanczos 1950) with full
// reorthogonalisation. All products are rounded before they are added (the
// float64 conversions forbid fusing), so the result is the same bits on every
// CPU.
type lanczos struct {
	n     int
	q     [steps][]float64
	w     []float64
	q32   []float32
	alpha [steps]float64
	beta  [steps]float64
}

func (l *lanczos) init(n int) {
	l.n = n
	for i := range l.q {
		l.q[i] = make([]float64, n)
	}
	l.w = make([]float64, n)
	l.q32 = make([]float32, n)
}

// top returns the Ritz vector of the largest Ritz value. apply(u, w) sets w to
// the operator applied to u. The slice is valid until the next call.
func (l *lanczos) top(key uint64, apply func(u []float32, w []float64)) []float32 {
	for i := range l.w {
		l.w[i] = uniform(key, uint64(i))
	}
	m := 0
	scale := 0.0
	for m < steps {
		norm := math.Sqrt(dot(l.w, l.w))
		if m > 0 {
			l.beta[m-1] = norm
		}
		if norm <= 1e-6*scale || norm == 0 {
			break // the space is exhausted: the Ritz pairs so far are exact
		}
		for i := range l.w {
			l.q[m][i] = l.w[i] / norm
		}
		l.round(l.q[m])
		apply(l.q32, l.w)
		l.alpha[m] = dot(l.w, l.q[m])
		scale = max(scale, math.Abs(l.alpha[m]))
		m++
		l.orthogonalise(m)
	}
	return l.combine(m)
}

// orthogonalise removes the parts of w along q[:m], twice: once is not enough
// when w is nearly in their span (Parlett, "twice is enough").
func (l *lanczos) orthogonalise(m int) {
	for range 2 {
		for j := range m {
			c := dot(l.w, l.q[j])
			for i := range l.w {
				l.w[i] -= float64(c * l.q[j][i])
			}
		}
	}
}

// combine returns the leading Ritz vector of the m steps taken.
func (l *lanczos) combine(m int) []float32 {
	clear(l.w)
	if m > 0 {
		y := leadingEigenvector(l.alpha[:m], l.beta[:m])
		for j := range m {
			for i := range l.w {
				l.w[i] += float64(y[j] * l.q[j][i])
			}
		}
	}
	l.round(l.w)
	return l.q32
}

func (l *lanczos) round(x []float64) {
	for i, v := range x {
		l.q32[i] = float32(v)
	}
}

func dot(a, b []float64) float64 {
	var sum float64
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}

// leadingEigenvector diagonalises the symmetric tridiagonal matrix with
// diagonal alpha and off-diagonal beta by cyclic Jacobi rotations: slow in
// general, ideal for at most 8 rows, and plain arithmetic to the last bit.
func leadingEigenvector(alpha, beta []float64) [steps]float64 {
	n := len(alpha)
	var a, v [steps][steps]float64
	for i := range n {
		a[i][i], v[i][i] = alpha[i], 1
		if i+1 < n {
			a[i][i+1], a[i+1][i] = beta[i], beta[i]
		}
	}
	for range 12 { // quadratic convergence: 6 sweeps are plenty for 8 rows
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotate(&a, &v, n, p, q)
			}
		}
	}
	best := 0
	for i := range n {
		if a[i][i] > a[best][best] {
			best = i
		}
	}
	var y [steps]float64
	for i := range n {
		y[i] = v[i][best]
	}
	return y
}

// rotate annihilates a[p][q] and accumulates the rotation in v.
func rotate(a, v *[steps][steps]float64, n, p, q int) {
	if a[p][q] == 0 {
		return
	}
	theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(float64(t*t)+1)
	s := float64(t * c)
	for k := range n {
		x, y := a[k][p], a[k][q]
		a[k][p], a[k][q] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
	for k := range n {
		x, y := a[p][k], a[q][k]
		a[p][k], a[q][k] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
	for k := range n {
		x, y := v[k][p], v[k][q]
		v[k][p], v[k][q] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
}
