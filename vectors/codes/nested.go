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
	made    *Matrix // short codes that First made last
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

// First returns the codes along the first count axes, a multiple of AxesStep, with sums of its
// own: bytes, in a view as long as [Nested.Take] is not called, or short codes.
func (n *Nested) First(count int) (*Matrix, error) {
	view := *n.along
	view.groups = count / 4
	if n.axes.Short {
		return n.short(&view)
	}
	view.sums = make([]sums, view.n)
	return &view, n.complete(&view, n.axes.Scale, 128)
}

// complete computes sums, and adds residuals, in squared steps of such a scale, from the center,
// which has the code middle along each axis.
func (n *Nested) complete(o *Matrix, scale float64, middle uint32) error {
	if err := o.addUp(n.kernel, n.threads); err != nil {
		return err
	}
	if n.far != nil {
		o.rest = make([]uint32, o.n)
		o.addRest(n.far, scale, middle)
	}
	return nil
}

// addRest adds the share of the squared residual from the axes to the sums of each row, whose
// squared distance from the center, which has the code middle along each, is in far.
func (m *Matrix) addRest(far []uint32, scale float64, middle uint32) {
	for i, far := range far {
		s := m.sums[i]
		sum := (s.norm - s.add) / (2 * m.kernel.Zero()) // of the codes
		along := s.norm - 2*middle*sum + middle*middle*uint32(m.Dim())
		beside := float64(scale*float64(far)) - float64(along)
		more := uint32(min(max(0, restShare*beside), math.MaxInt32/4))
		m.sums[i].norm += more
		m.sums[i].add += more
		m.rest[i] = 2 * more
	}
}

// Plain ignores residuals from the axes from now on, which are [Axes.Plain] then.
func (n *Nested) Plain() { n.axes, n.far, n.made = n.axes.Plain(), nil, nil }

// Shorten makes codes short from now on, or bytes, as the axes then tell.
func (n *Nested) Shorten(short bool) {
	axes := *n.axes
	axes.Short, n.axes = short, &axes
	if !short {
		n.made = nil
	}
}

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
