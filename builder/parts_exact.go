package builder

import (
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/builder/union"
	"github.com/knng/knng/vectors"
)

// exactChunkBytes is about the rows that sampled ones are compared with at a time.
const exactChunkBytes = 32 << 20

// exactChunkRows is how many these are.
func (r *run) exactChunkRows() int64 {
	return max(64, exactChunkBytes/int64(r.src.Dim()*r.src.Type().Size()))
}

// exactlyInParts computes the exact lists of some places, and how many distances that
// took, without anything in memory that grows with the rows.
func (r *run) exactlyInParts(places []uint32, p *phase) (*recall.Lists, int64, error) {
	size := r.rows.Dim() * r.rows.Type().Size()
	chunk := int(r.exactChunkRows())
	sampled := make([]byte, 0, len(places)*size)
	for _, place := range places {
		sampled = append(sampled, r.rows.Row(int(place))...)
	}
	lists := union.New(len(places), r.k, nil)
	defer lists.Free()
	bytes := make([]byte, 0, len(sampled)+min(chunk, r.n())*size)
	for from := 0; from < r.n(); from += chunk {
		to := min(from+chunk, r.n())
		bytes = append(bytes[:0], sampled...)
		for i := from; i < to; i++ {
			bytes = append(bytes, r.rows.Row(i)...)
		}
		if err := r.exactChunk(bytes, places, from, lists, p); err != nil {
			return nil, 0, err
		}
	}
	found := recall.ListsOf(places, r.k, func(i int) ([]uint32, []float32) { return lists.List(uint32(i)) })
	return found, int64(len(places)) * int64(r.n()-1), nil
}

// exactChunk compares places, whose rows stand first in bytes, with the rows behind
// them, which are those from place from on.
func (r *run) exactChunk(bytes []byte, places []uint32, from int, lists *union.Lists, p *phase) (err error) {
	dim, typ := r.rows.Dim(), r.rows.Type()
	n := len(bytes) / (dim * typ.Size())
	c := &run{ctx: r.ctx, opts: r.opts, src: r.src, draft: r.draft, space: r.space, k: r.k}
	if c.rows, err = vectors.RowsOf(bytes, n, dim, dim*typ.Size(), typ); err != nil {
		return err
	}
	if c.norms, err = c.normsOf(c.rows); err != nil {
		return err
	}
	screens, err := c.screens()
	if err != nil {
		return err
	}
	own := r.numbers(len(places))
	search := recall.Search{
		K:        min(r.k+1, n-1), // a place may meet itself
		Skip:     func(number uint32) bool { return int(number) < len(places) },
		Threads:  r.opts.Threads,
		Progress: func(n int64) { p.Add(int(n)) },
	}
	truth, _, err := search.Screened(r.ctx, n, dim, own, screens, func() recall.Keys { return recall.Keys(c.keys()) })
	if err != nil {
		return err
	}
	for i, place := range places {
		ids, keys := truth.List(i)
		for j, id := range ids {
			if other := id - uint32(len(places)) + uint32(from); other != place {
				lists.Offer(uint32(i), other, keys[j])
			}
		}
	}
	return nil
}
