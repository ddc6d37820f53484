package shapes

import (
	"math"
	"slices"

	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// oracle holds rows as float64 values and knows the true neighbors of some of them.
type oracle struct {
	metric distance.Metric
	n, dim int
	values []float64
	norms  []float64
	rows   []uint32  // sampled
	bounds []float64 // distance of the k-th neighbor of each
}

// newOracle computes the k nearest distances of at most sample rows by brute force in
// float64: slow and obviously right.
func newOracle(rows *vectors.Rows, metric distance.Metric, k, sample, threads int) (*oracle, error) {
	o := &oracle{metric: metric, n: rows.Len(), dim: rows.Dim()}
	o.values, o.norms = make([]float64, o.n*o.dim), make([]float64, o.n)
	narrow := make([]float32, o.dim)
	for i := range o.n {
		vectors.Decode(rows.Type(), rows.Row(i), narrow)
		for j, x := range narrow {
			o.values[i*o.dim+j] = float64(x)
			o.norms[i] += float64(x) * float64(x)
		}
		o.norms[i] = math.Sqrt(o.norms[i])
	}
	o.rows = recall.Sample(o.n, sample, 977, 0)
	o.bounds = make([]float64, len(o.rows))
	k = min(k, o.n-1)
	err := vectors.Ranges(threads, len(o.rows), 4, func() func(from, to int) error {
		all := make([]float64, 0, o.n)
		return func(from, to int) error {
			for i := from; i < to; i++ {
				all = all[:0]
				for other := range o.n {
					if other != int(o.rows[i]) {
						all = append(all, o.distance(int(o.rows[i]), other))
					}
				}
				o.bounds[i] = kth(all, k)
			}
			return nil
		}
	})
	return o, err
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

// distance is the distance by which lists are ordered, up to a monotone function.
func (o *oracle) distance(a, b int) float64 {
	x, y := o.values[a*o.dim:(a+1)*o.dim], o.values[b*o.dim:(b+1)*o.dim]
	var sum float64
	switch o.metric {
	case distance.IP, distance.Cosine:
		for j, v := range x {
			sum += v * y[j]
		}
		if o.metric == distance.IP {
			return -sum
		}
		return 1 - sum/(o.norms[a]*o.norms[b])
	}
	for j, v := range x {
		sum += (v - y[j]) * (v - y[j])
	}
	return sum
}

// tolerance is by how much a float32 key of a row may differ from its distance: a
// rounding to float32 of a sum of float64 numbers, and under cosine of a difference
// from 1 as well.
func (o *oracle) tolerance(i int) float64 {
	const float32Error, float64Error = 1e-6, 1e-14
	if o.metric == distance.Cosine {
		return float32Error*o.bounds[i] + float64Error
	}
	return float32Error * math.Abs(o.bounds[i])
}

// recall is the share of the true neighbors that a store lists, of every sampled row.
// Equal distances count alike.
func (o *oracle) recall(g *store.Store) (mean float64, err error) {
	k := min(g.K(), o.n-1)
	var list []store.Neighbor
	for i, row := range o.rows {
		if list, err = g.Neighbors(store.Row(row), list[:0]); err != nil {
			return 0, err
		}
		seen := map[store.Row]bool{store.Row(row): true}
		for _, n := range list {
			if !seen[n.Row] && o.distance(int(row), int(n.Row)) <= o.bounds[i]+o.tolerance(i) {
				mean++
			}
			seen[n.Row] = true
		}
	}
	return mean / float64(max(1, k*len(o.rows))), nil
}
