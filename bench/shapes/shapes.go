// Package shapes builds graphs of many seeded data shapes by default options and
// compares each with brute force: the recall found, whether the reported interval
// holds it, and the pairs compared. It is the acceptance test of the promise that a
// build reaches the recall it was asked for on any data, or says that it did not.
package shapes

import (
	"math/rand/v2"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Shape is a family of seeded data sets.
type Shape struct {
	Name    string
	Rows    int // of the full set; Config.Scale makes it smaller
	Dim     int
	Type    vectors.Type
	Metrics []distance.Metric

	// fill returns a function that writes row i of n rows. It is called once for
	// each data set, and its rows in ascending order.
	fill func(rng *rand.Rand, n, dim int) func(i int, row []float64)
}

// leastRows is the smallest set that a scale makes of a shape: below it every graph
// is exact.
const leastRows = 10

// rows is the number of rows at a scale.
func (s *Shape) rows(scale float64) int {
	if s.Rows <= leastRows {
		return s.Rows
	}
	return max(leastRows, int(float64(s.Rows)*scale))
}

// Make returns the rows of the shape at a scale, in memory.
func (s *Shape) Make(scale float64, seed uint64) (*vectors.Rows, error) {
	n := s.rows(scale)
	rng := rand.New(rand.NewPCG(seed, 0x736861706573))
	fill, size := s.fill(rng, n, s.Dim), s.Type.Size()
	data := make([]byte, n*s.Dim*size)
	row, narrow := make([]float64, s.Dim), make([]float32, s.Dim)
	for i := range n {
		clear(row)
		fill(i, row)
		for j, x := range row {
			narrow[j] = float32(x)
		}
		if err := vectors.Encode(s.Type, narrow, data[i*s.Dim*size:]); err != nil {
			return nil, err
		}
	}
	return vectors.RowsOf(data, n, s.Dim, s.Dim*size, s.Type)
}
