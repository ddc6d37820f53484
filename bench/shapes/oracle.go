package shapes

import (
	"math"
	"math/bits"
	"slices"

	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// oracle knows the true neighbors of some rows.
type oracle struct {
	metric distance.Metric
	data   *vectors.Rows
	rows   []uint32  // sampled
	bounds []float64 // distance of the k-th neighbor of each
}

// together is how many sampled rows are compared with a row that is decoded once.
const together = 8

// newOracle computes the k nearest distances of at most sample rows by brute force in
// float64: slow and obviously right.
func newOracle(rows *vectors.Rows, metric distance.Metric, k, sample, threads int) (*oracle, error) {
	o := &oracle{metric: metric, data: rows, rows: recall.Sample(rows.Len(), sample, 977, 0)}
	o.rows = slices.DeleteFunc(o.rows, func(number uint32) bool { r := o.row(number); return o.bad(&r) })
	o.bounds = make([]float64, len(o.rows))
	k = min(k, rows.Len()-1)
	err := vectors.Ranges(threads, len(o.rows), together, func() func(from, to int) error {
		all := make([][]float64, together)
		return func(from, to int) error {
			o.all(o.rows[from:to], all)
			for i := from; i < to; i++ {
				o.bounds[i] = kth(all[i-from], k)
			}
			return nil
		}
	})
	return o, err
}

// all computes the distances of some rows to all others.
func (o *oracle) all(rows []uint32, all [][]float64) {
	mine, other := make([]row, len(rows)), o.row(0)
	for i, number := range rows {
		mine[i], all[i] = o.row(number), all[i][:0]
	}
	for number := range uint32(o.data.Len()) {
		o.read(number, &other)
		for i := range mine {
			if rows[i] != number {
				all[i] = append(all[i], o.distance(&mine[i], &other))
			}
		}
	}
}

// row is a row as numbers, with its length, and under correlation less its mean.
type row struct {
	values []float64
	norm   float64
	narrow []float32
}

func (o *oracle) row(number uint32) row {
	r := row{values: make([]float64, o.data.Dim()), narrow: make([]float32, o.data.Dim())}
	o.read(number, &r)
	return r
}

func (o *oracle) read(number uint32, r *row) {
	vectors.Decode(o.data.Type(), o.data.Row(int(number)), r.narrow)
	var sum, squares float64
	for j, x := range r.narrow {
		r.values[j] = float64(x)
		sum += float64(x)
	}
	if o.metric == distance.Correlation {
		for j := range r.values {
			r.values[j] -= sum / float64(len(r.values))
		}
	}
	for _, x := range r.values {
		squares += x * x
	}
	r.norm = math.Sqrt(squares)
}

// kth returns the k-th smallest of some values, which it reorders.
func kth(values []float64, k int) float64 {
	if k == 0 {
		return math.Inf(-1)
	}
	heap := slices.Clone(values[:k])
	slices.Sort(heap)
	for _, v := range values[k:] {
		if v >= heap[k-1] {
			continue
		}
		at, _ := slices.BinarySearch(heap, v)
		copy(heap[at+1:], heap[at:k-1])
		heap[at] = v
	}
	return heap[k-1]
}

// bad reports whether a row has no distances: builds isolate it.
func (o *oracle) bad(r *row) bool { return o.metric.ZeroIsBad() && r.norm == 0 }

// distance is the distance by which lists are ordered, up to a monotone function; infinite to a bad row.
func (o *oracle) distance(a, b *row) float64 {
	if o.bad(a) || o.bad(b) {
		return math.Inf(1)
	}
	x, y := a.values, b.values
	y = y[:len(x)]
	switch o.metric {
	case distance.IP:
		return -product(x, y)
	case distance.Cosine, distance.Correlation:
		return 1 - product(x, y)/(a.norm*b.norm)
	case distance.L1, distance.Chebyshev:
		return differences(x, y, o.metric == distance.Chebyshev)
	case distance.Hamming, distance.Jaccard:
		both, either := setBits(x, y)
		if o.metric == distance.Hamming {
			return float64(either - both)
		}
		return 1 - float64(both)/float64(max(1, either))
	}
	var sum float64
	for j, v := range x {
		sum += (v - y[j]) * (v - y[j])
	}
	return sum
}

func product(x, y []float64) (sum float64) {
	for j, v := range x {
		sum += v * y[j]
	}
	return sum
}

// differences is the sum of the absolute differences, or the largest of them.
func differences(x, y []float64, largest bool) (d float64) {
	for j, v := range x {
		if a := math.Abs(v - y[j]); largest {
			d = max(d, a)
		} else {
			d += a
		}
	}
	return d
}

// setBits counts the bits that are set in both rows of packed bits, and in either.
func setBits(x, y []float64) (both, either int) {
	for j, v := range x {
		both += bits.OnesCount8(uint8(v) & uint8(y[j]))
		either += bits.OnesCount8(uint8(v) | uint8(y[j]))
	}
	return both, either
}

// tolerance is by how much a float32 key of a row may differ from its distance: a
// rounding to float32 of a sum of float64 numbers, and under cosine of a difference
// from 1 as well.
func (o *oracle) tolerance(i int) float64 {
	const float32Error, float64Error = 1e-6, 1e-14
	if o.metric == distance.Cosine || o.metric == distance.Correlation || o.metric == distance.Jaccard {
		return float32Error*o.bounds[i] + float64Error
	}
	return float32Error * math.Abs(o.bounds[i])
}

// recall is the share of the true neighbors that a store lists, of every sampled row.
// Equal distances count alike.
func (o *oracle) recall(g *store.Store) (mean float64, err error) {
	k := min(g.K(), o.data.Len()-1)
	mine, other := o.row(0), o.row(0)
	var list []store.Neighbor
	for i, row := range o.rows {
		if list, err = g.Neighbors(store.Row(row), list[:0]); err != nil {
			return 0, err
		}
		seen := map[store.Row]bool{store.Row(row): true}
		o.read(row, &mine)
		for _, n := range list {
			o.read(uint32(n.Row), &other)
			if !seen[n.Row] && o.distance(&mine, &other) <= o.bounds[i]+o.tolerance(i) {
				mean++
			}
			seen[n.Row] = true
		}
	}
	return mean / float64(max(1, k*len(o.rows))), nil
}
