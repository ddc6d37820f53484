package codes

import (
	"fmt"

	"github.com/knng/knng/vectors/internal/simd"
)

// Centers are the means of groups of rows.
type Centers struct {
	*Matrix
	Squares []float64 // of what each stands for: those of directions are less than 1
}

// Centers returns the means of groups of the rows of m, rounded to codes. It is for codes by
// a rounding.
func (m *Matrix) Centers(groups [][]uint32) (*Centers, error) {
	kernel, err := simd.Choose()
	if err != nil {
		return nil, fmt.Errorf("codes: %w", err)
	}
	if m.Exact() || m.reduced {
		return nil, fmt.Errorf("codes: centers of rows without a rounding")
	}
	c := &Centers{Matrix: newMatrix(kernel, len(groups), 4*m.groups), Squares: make([]float64, len(groups))}
	c.rounding = m.rounding
	c.residuals = make([]float32, len(groups))
	sums := make([]int64, 4*m.groups)
	for g, group := range groups {
		clear(sums)
		for _, p := range group {
			for j, x := range m.row(int(p)) {
				sums[j] += int64(x)
			}
		}
		count := int64(len(group))
		row := c.row(g)
		for j, sum := range sums {
			row[j] = byte((2*sum + count) / (2 * count))
		}
		for j, offset := range m.rounding.Offsets {
			x := float64(float64(sums[j])/float64(count)-128)/m.rounding.PerUnit + offset
			c.Squares[g] += float64(x * x)
		}
	}
	return c, c.addUp(kernel, 1)
}
