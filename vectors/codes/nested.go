package codes

import (
	"fmt"
	"math"

	"github.com/knng/knng/vectors/internal/simd"
)

// Nested is the codes of rows along axes, of which the first ones may be taken alone: it
// takes one pass over the rows to try how few of them do.
type Nested struct {
	axes    *Axes
	along   *Matrix  // all axes
	far     []uint32 // of each row from the axes' center, squared; nil without one
	kernel  *simd.Kernel
	threads int
}

// Nested returns the codes of the rows of m along axes, which must have been found for codes
// by the same rounding. Distances of its rows order them approximately, even where those
// of m are exact, without a bound on the error. A distance is the squared distance along the
// axes and, of both rows, a share of the squared residual from them.
func (m *Matrix) Nested(a *Axes, threads int) (*Nested, error) {
	kernel, err := simd.Choose()
	if err != nil {
		return nil, fmt.Errorf("codes: %w", err)
	}
	if err := a.check(4 * m.groups); err != nil {
		return nil, err
	}
	directions := newMatrix(kernel, a.Count+len(a.Center)/a.Dim, a.Dim)
	copy(directions.data, a.Codes)
	copy(directions.data[len(a.Codes):], a.Center)
	n := &Nested{axes: a, along: newMatrix(kernel, m.n, a.Count), kernel: kernel, threads: threads}
	n.along.reduced = true
	if len(a.Center) != 0 {
		n.far = make([]uint32, m.n)
	}
	middle := uint32(0) // the center's square
	for _, x := range a.Center {
		middle += uint32(x) * uint32(x)
	}
	return n, products(m, directions, threads, func(i int, sums []int32) {
		kernel.Codes.Steps(sums[:a.Count], a.Offsets, a.Factor, n.along.row(i))
		if n.far != nil {
			n.far[i] = m.sums[i].add + middle - 2*uint32(sums[a.Count])
		}
	})
}

// First returns the codes along the first count axes, a multiple of AxesStep: a view, as long
// as [Nested.Take] is not called, with sums of its own.
func (n *Nested) First(count int) (*Matrix, error) {
	o := *n.along
	o.groups, o.sums = count/4, make([]sums, o.n)
	if err := o.addUp(n.kernel, n.threads); err != nil {
		return nil, err
	}
	if n.far != nil {
		o.rest = make([]uint32, o.n)
		o.own += 4 * int64(o.n)
		o.addRest(n.far, n.axes.Scale)
	}
	return &o, nil
}

// addRest adds the share of the squared residual from the axes to the sums of each row, whose
// squared distance from the center is in far.
func (m *Matrix) addRest(far []uint32, scale float64) {
	for i, far := range far {
		along := m.sums[i].add + 128*128*uint32(m.Dim())
		beside := float64(scale*float64(far)) - float64(along)
		more := uint32(min(max(0, restShare*beside), math.MaxInt32/4))
		m.sums[i].norm += more
		m.sums[i].add += more
		m.rest[i] = 2 * more
	}
}

// Plain ignores residuals from the axes from now on, which are [Axes.Plain] then.
func (n *Nested) Plain() { n.axes, n.far = n.axes.Plain(), nil }

// Take gives up all but the first count axes, which it returns, and moves the codes together.
func (n *Nested) Take(count int) *Axes {
	n.axes = n.axes.First(count)
	from, to := n.along.stride, n.axes.Count
	for i := range n.along.n {
		copy(n.along.data[i*to:(i+1)*to], n.along.data[i*from:])
	}
	n.along.groups, n.along.stride = to/4, to
	return n.axes
}
