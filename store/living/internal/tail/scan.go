package tail

import (
	"slices"
	"unsafe"

	"github.com/knng/knng/vectors"
)

// A Target is a query in the form in which rows are compared with it.
type Target struct {
	t      *Tail
	scale  int // exponent: rows and the query are multiplied by 2^scale
	native bool
	row    []byte // own, or scaled
	norm   float64
	own    []byte
	scaled []float32
	values []float32
	keys   [chunkRows]float32
	ids    []uint32
}

// Scale returns the exponent of the power of two by which rows and the query are multiplied.
func (q *Target) Scale() int { return q.scale }

// scaleOf returns the scale for a query.
func (p Part) scaleOf(query []float32) int {
	if !p.alone {
		return p.scale
	}
	sizes := p.sizes
	sizes.Add(bytesOf(query))
	return sizes.Scale()
}

// Set takes a query for a part, with elements like those of rows, not multiplied. It reports whether the
// query has distances: a vector of zeros has none under cosine, and one that is not of bytes has none from
// packed bits.
func (q *Target) Set(p Part, query []float32) bool {
	t := p.Tail
	q.t, q.scale = t, p.scaleOf(query)
	q.scaled = slices.Grow(q.scaled[:0], t.dim)[:t.dim]
	scaled := q.scaled
	for i, v := range query {
		scaled[i] = v
		if q.scale != 0 {
			scaled[i] = vectors.Scale(v, q.scale)
		}
	}
	q.values = slices.Grow(q.values[:0], t.dim)[:t.dim]
	q.own = slices.Grow(q.own[:0], t.size)[:t.size]
	q.row = q.own
	space := t.space
	if q.native = q.scale == 0 && holds(t.typ, scaled, q.row, q.values); !q.native {
		if t.floats == nil {
			return false
		}
		space, q.row = t.floats, bytesOf(scaled)
	}
	q.norm = 0
	if space.NeedsNorms() {
		q.norm = space.Norm(q.row)
		return q.norm != 0
	}
	return true
}

// holds encodes a query in a type, and reports whether nothing is lost.
func holds(typ vectors.Type, query []float32, row []byte, back []float32) bool {
	if vectors.Encode(typ, query, row) != nil {
		return false
	}
	vectors.Decode(typ, row, back)
	for i, v := range query {
		if back[i] != v {
			return false
		}
	}
	return true
}

// Each calls fn with every live row of a part and its key, from a row on, if admit allows it; a nil admit
// allows all.
func (q *Target) Each(p Part, from uint32, admit func(row uint32) bool, fn func(row uint32, key float32)) {
	for first := from / chunkRows * chunkRows; first < p.rows; first += chunkRows {
		q.ids = q.ids[:0]
		for i := range min(chunkRows, p.rows-first) {
			if first+i >= from && p.Live(first+i) && (admit == nil || admit(first+i)) {
				q.ids = append(q.ids, i)
			}
		}
		c := p.chunks[first/chunkRows]
		q.chunk(c)
		for i, at := range q.ids {
			fn(first+at, q.keys[i])
		}
	}
}

// Key returns the key of one row of a part.
func (q *Target) Key(p Part, row uint32) float32 {
	q.ids = append(q.ids[:0], row%chunkRows)
	q.chunk(p.chunks[row/chunkRows])
	return q.keys[0]
}

// chunk computes the keys of some rows of a chunk.
func (q *Target) chunk(c *chunk) {
	t := q.t
	if q.native {
		t.space.Keys(q.row, q.norm, c.data, t.size, c.norms, q.ids, q.keys[:])
		return
	}
	zero := [1]uint32{}
	for i, at := range q.ids {
		t.values(c.data[int(at)*t.size:][:t.size], q.values, q.scale)
		var norm [1]float64
		if c.norms != nil {
			norm[0] = c.norms[at]
		}
		if c.norms != nil && q.scale != t.scale {
			norm[0] = t.floats.Norm(bytesOf(q.values))
		}
		t.floats.Keys(q.row, q.norm, bytesOf(q.values), 0, norm[:], zero[:], q.keys[i:i+1])
	}
}

// bytesOf returns float32 values as the raw rows that kernels read.
func bytesOf(x []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}
