package search

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/knng/knng/vectors"
)

// Consecutive places have rows near each other. So if codes estimate squared distances, a code holds the
// difference between a row and the mean of some thousand places around it, its run; that is at most half of
// the row. With c the mean, r the difference as its code represents it, and q a query, all less the mean of
// all rows,
//
//	|q-c-r|^2 = |q-c|^2 - 2<q,r> + (2<c,r> + |r|^2)
//
// A query computes the first term for every run and the second for every center. The third is a property of
// the row; a byte of its code holds about its value. On 400,000 generated rows, with codes of 32 bytes of the
// rows themselves, all but a twentieth of the true neighbors are among the first 26 of their query; with such
// codes of the differences and one byte more, among the first 19.

const (
	leastRun = 4096 // least places of a run,
	mostRuns = 2048 // more if there would be more runs than this
)

// runs are the means of runs of places.
type runs struct {
	size    int // places of a run, a multiple of blockPlaces
	dim     int
	centers []float32
	mean    []float32 // of all centers
}

// runOf returns the size of a run of n places.
func runOf(n int) int {
	size := max(leastRun, (n+mostRuns-1)/mostRuns)
	return (size + blockPlaces - 1) / blockPlaces * blockPlaces
}

func runsOf(n, size int) int { return (n + size - 1) / size }

func (r *runs) center(place int) []float32 { return r.centers[place/r.size*r.dim:][:r.dim] }

// subtract subtracts the mean of its run from the row of a place.
func (r *runs) subtract(place int, row []float32) {
	if r == nil {
		return
	}
	for i, x := range r.center(place) {
		row[i] -= x
	}
}

// share returns 2<c,r> + |r|^2 of a place.
func (r *runs) share(place int, row []float32) float32 {
	sum := 0.0
	for i, c := range r.center(place) {
		x := float64(row[i])
		sum += float64(x * (x + 2*float64(c-r.mean[i])))
	}
	return float32(sum)
}

// distances computes |q-c|^2 for all runs, and subtracts the mean of all rows from the query.
func (r *runs) distances(query, out []float32) {
	for i := range out {
		sum := float32(0)
		for j, c := range r.centers[i*r.dim:][:r.dim] {
			d := query[j] - c
			sum += float32(d * d)
		}
		out[i] = sum
	}
	for i, x := range r.mean {
		query[i] -= x
	}
}

// findMean computes the mean of all runs.
func (r *runs) findMean() {
	r.mean = make([]float32, r.dim)
	count := float64(len(r.centers) / r.dim)
	for i := range r.mean {
		sum := 0.0
		for at := i; at < len(r.centers); at += r.dim {
			sum += float64(r.centers[at])
		}
		r.mean[i] = float32(sum / count)
	}
}

// farOut is the factor by which an element of a row far out differs from the median, in usual differences.
// One row that is 1e8 times as far out moves the mean of its run by 24,000 usual differences, so that
// estimates cannot distinguish the others.
const farOut = 100

// usualRows is the size of the sample that gives the usual difference.
const usualRows = 512

// bounds enclose the elements of rows that are not far out; nil: of all rows.
type bounds struct{ low, high []float32 }

// holds reports whether a row is not far out.
func (b *bounds) holds(row []float32) bool {
	if b == nil {
		return true
	}
	for i, x := range row {
		if x < b.low[i] || x > b.high[i] {
			return false
		}
	}
	return true
}

// usual computes the bounds from some rows: around the medians of their elements, by the median of the rows'
// largest differences from these.
func (s coder) usual() (b *bounds, err error) {
	n, dim := s.Len(), s.Dim()
	m := min(n, usualRows)
	rows, column := make([]float32, m*dim), make([]float32, m)
	err = vectors.Guard(func() error {
		for i := range m {
			s.plain(s.rows.Row(int(int64(i)*int64(n)/int64(m))), rows[i*dim:(i+1)*dim])
		}
		return nil
	})
	if err != nil || m == 0 {
		return nil, err
	}
	median := func() float32 {
		slices.Sort(column)
		return column[m/2]
	}
	b = &bounds{make([]float32, dim), make([]float32, dim)}
	for i := range dim {
		for j := range m {
			column[j] = rows[j*dim+i]
		}
		b.low[i] = median()
	}
	for j := range m {
		column[j] = 0
		for i, x := range rows[j*dim : (j+1)*dim] {
			column[j] = max(column[j], x-b.low[i], b.low[i]-x)
		}
	}
	reach := farOut * median()
	if reach == 0 { // half of the rows are the same
		return nil, nil
	}
	for i, x := range b.low {
		b.low[i], b.high[i] = x-reach, x+reach
	}
	return b, nil
}

// makeRuns computes the means of all rows but those that are far out.
func (s coder) makeRuns(size int) (*runs, error) {
	n, dim := s.Len(), s.Dim()
	r := &runs{size: size, dim: dim, centers: make([]float32, runsOf(n, size)*dim)}
	usual, err := s.usual()
	if err != nil {
		return nil, err
	}
	_ = s.advise(vectors.Normal) // a hint
	err = vectors.Ranges(s.opts.Threads, n, size, func() func(from, to int) error {
		row, sums := make([]float32, dim), make([]float64, dim)
		return func(from, to int) error {
			if !s.mean(from, to, usual, row, sums) {
				s.mean(from, to, nil, row, sums)
			}
			copy(r.center(from), row)
			return s.opts.Context.Err()
		}
	})
	r.findMean()
	return r, err
}

// mean computes the mean of the rows of some places within bounds, and reports whether there are any.
func (s coder) mean(from, to int, within *bounds, row []float32, sums []float64) bool {
	clear(sums)
	count := 0
	for p := from; p < to; p++ {
		if s.plain(s.rows.Row(p), row); !within.holds(row) {
			continue
		}
		count++
		for i, x := range row {
			sums[i] += float64(x)
		}
	}
	for i, sum := range sums {
		row[i] = float32(sum / float64(count))
	}
	return count > 0
}

// append appends the means of runs.
func (r *runs) append(dst []byte) []byte {
	if r == nil {
		return dst
	}
	for _, x := range r.centers {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

// parseRuns is the inverse of append.
func parseRuns(data []byte, size, dim int) *runs {
	r := &runs{size: size, dim: dim, centers: make([]float32, len(data)/4)}
	for i := range r.centers {
		r.centers[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	r.findMean()
	return r
}
