package recall

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// blockBytes is how much of the matrix is compared with all sampled rows before
// the next is read: it stays in a second-level cache beside the sampled rows
// that pass it. The size hardly matters: 32 KB to 1 MB take the same time
// within 2 % (BenchmarkSearchRows).
const blockBytes = 128 << 10

// Rows compares the rows sampled with all rows of src, which it reads once, in
// order. It returns the lists and the number of distances computed.
func (s Search) Rows(ctx context.Context, src vectors.Source, space *distance.Space, places []uint32) (*Lists, int64, error) {
	if err := s.check(src.Len(), places); err != nil {
		return nil, 0, err
	}
	p := &pass{Search: s, src: src, space: space, size: src.Dim() * src.Type().Size(), lists: newLists(places, s.K, s.RowOf)}
	if err := p.gather(places); err != nil {
		return nil, 0, err
	}
	p.block = max(1, min(4096, blockBytes/p.size))
	err := s.parallel(ctx, (src.Len()+p.block-1)/p.block, func() func(context.Context, int) error {
		w := newRowsWorker(p)
		return w.compare
	})
	if err != nil {
		return nil, p.computed.Load(), err
	}
	return p.lists, p.computed.Load(), nil
}

// pass is one reading of the matrix.
type pass struct {
	Search
	src      vectors.Source
	space    *distance.Space
	size     int // bytes of a row
	block    int // rows of a block
	sampled  []byte
	norms    []float64 // of the sampled rows; nil where the metric needs none
	lists    *Lists
	computed atomic.Int64
}

// gather copies the sampled rows side by side.
func (p *pass) gather(places []uint32) error {
	p.sampled = make([]byte, len(places)*p.size)
	for i, place := range places {
		if err := p.src.ReadRows(int(place), p.row(i)); err != nil {
			return fmt.Errorf("recall: %w", err)
		}
	}
	if p.space.NeedsNorms() {
		p.norms = make([]float64, len(places))
		for i := range places {
			p.norms[i] = p.space.Norm(p.row(i))
		}
	}
	return nil
}

func (p *pass) row(i int) []byte { return p.sampled[i*p.size : (i+1)*p.size] }

func (p *pass) norm(i int) float64 {
	if p.norms == nil {
		return 0
	}
	return p.norms[i]
}

// rowsWorker is one goroutine's block.
type rowsWorker struct {
	*pass
	rows   []byte
	norms  []float64
	within []uint32 // positions in the block that take part
	ids    []uint32 // their places
	keys   []float32
}

func newRowsWorker(p *pass) *rowsWorker {
	return &rowsWorker{
		pass: p, rows: make([]byte, p.block*p.size), norms: make([]float64, p.block), keys: make([]float32, p.block),
		within: make([]uint32, 0, p.block), ids: make([]uint32, 0, p.block),
	}
}

// compare reads a block and compares it with every sampled row.
func (w *rowsWorker) compare(_ context.Context, block int) error {
	first := block * w.block
	n := min(w.block, w.src.Len()-first)
	rows := w.rows[:n*w.size]
	if err := w.src.ReadRows(first, rows); err != nil {
		return fmt.Errorf("recall: %w", err)
	}
	w.choose(first, n)
	for i, place := range w.lists.Places {
		w.space.Keys(w.row(i), w.norm(i), rows, w.size, w.norms, w.within, w.keys)
		w.lists.offer(i, w.ids, w.keys[:len(w.ids)])
		computed := len(w.ids)
		if _, self := slices.BinarySearch(w.ids, place); self {
			computed-- // the row itself is no comparison
		}
		w.computed.Add(int64(computed))
		w.Search.progress(computed)
	}
	return nil
}

// choose lists the rows of the block that take part and computes their norms.
func (w *rowsWorker) choose(first, n int) {
	w.within, w.ids = w.within[:0], w.ids[:0]
	for j := range n {
		place := uint32(first + j)
		if w.Skip != nil && w.Skip(place) {
			continue
		}
		w.within, w.ids = append(w.within, uint32(j)), append(w.ids, place)
		if w.space.NeedsNorms() {
			w.norms[j] = w.space.Norm(w.rows[j*w.size : (j+1)*w.size])
		}
	}
}
