package kdtrees

import (
	"math/rand/v2"
	"slices"
)

const (
	bucketRows = 8   // nodes with more rows are cut
	sampleRows = 100 // rows whose mean and variance a node looks at
	candidates = 5   // coordinates that it draws from
)

// grow makes the subtree of ids, which it reorders, and returns its root.
func (w *walk) grow(ids []uint32, rng *rand.Rand) uint32 {
	number := uint32(len(w.nodes))
	w.nodes = append(w.nodes, node{})
	if len(ids) <= bucketRows {
		from := uint32(len(w.rows))
		w.rows = append(w.rows, ids...)
		w.nodes[number] = node{from: from, to: uint32(len(w.rows))}
		return number
	}
	coordinate, at := w.cut(ids, rng)
	half := w.partition(ids, coordinate, at)
	if half == 0 || half == len(ids) {
		half = len(ids) / 2 // equal in this coordinate: any halves will do
	}
	left := w.grow(ids[:half], rng)
	right := w.grow(ids[half:], rng)
	w.nodes[number] = node{left: left, right: right, at: at, coordinate: int32(coordinate)}
	return number
}

// cut draws a coordinate, and returns the mean there.
func (w *walk) cut(ids []uint32, rng *rand.Rand) (coordinate int, at float32) {
	w.mean, w.square = slices.Grow(w.mean[:0], w.dim)[:w.dim], slices.Grow(w.square[:0], w.dim)[:w.dim]
	clear(w.mean)
	clear(w.square)
	sample := min(sampleRows, len(ids))
	for i := range sample {
		id := ids[i]
		if len(ids) > sampleRows {
			id = ids[rng.IntN(len(ids))]
		}
		for i, v := range w.floats[int(id)*w.dim:][:w.dim] {
			w.mean[i] += v
			w.square[i] += v * v
		}
	}
	coordinate = w.widest(float32(sample), rng.IntN(min(candidates, w.dim)))
	return coordinate, w.mean[coordinate] / float32(sample)
}

// widest is the coordinate with the variance that number others exceed, by the sums over
// so many rows; of equal ones the first is the wider.
func (w *walk) widest(rows float32, number int) int {
	var best [candidates]int
	var variance [candidates]float32
	n := 0
	for i, m := range w.mean {
		v := w.square[i] - m*m/rows
		at := n
		for at > 0 && variance[at-1] < v {
			at--
		}
		if at > number {
			continue
		}
		n = min(n+1, number+1)
		copy(best[at+1:n], best[at:])
		copy(variance[at+1:n], variance[at:])
		best[at], variance[at] = i, v
	}
	return best[number]
}

// partition moves the rows below a cut to the front and counts them.
func (w *walk) partition(ids []uint32, coordinate int, at float32) (below int) {
	for i, id := range ids {
		if w.floats[int(id)*w.dim+coordinate] < at {
			ids[i], ids[below] = ids[below], id
			below++
		}
	}
	return below
}

// cell is a node that waits, with the square of its distance from the query.
type cell struct {
	distance float32
	node     uint32
}

// queue is a binary heap, the nearest cell first.
type queue []cell

func (q *queue) push(c cell) {
	h := append(*q, c)
	i := len(h) - 1
	for i > 0 && h[(i-1)/2].distance > c.distance {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = c
	*q = h
}

func (q *queue) pop() cell {
	h := *q
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	if len(h) == 0 {
		return top
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].distance < h[child].distance {
			child++
		}
		if h[child].distance >= last.distance {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = last
	return top
}
