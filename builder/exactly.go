package builder

import (
	"context"

	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/builder/union"
)

// exactly computes the exact lists of some places, and how many distances that
// took.
func (ps *points) exactly(ctx context.Context, places []uint32, progress func(int)) (*recall.Lists, int64, error) {
	search := recall.Search{K: ps.k, RowOf: ps.order, Threads: ps.threads, Progress: func(n int64) { progress(int(n)) }}
	keys := func() recall.Keys { return recall.Keys(ps.keys()) }
	screens, err := ps.screens()
	if err != nil {
		return nil, 0, err
	}
	if screens == nil {
		return search.Keys(ctx, ps.n(), places, keys)
	}
	return search.Screened(ctx, ps.n(), ps.rows.Dim(), places, screens, keys)
}

// exactChunkBytes is about the rows that sampled ones are compared with at a time.
const exactChunkBytes = 32 << 20

// exactChunkRows is how many these are.
func (ps *points) exactChunkRows() int64 {
	return max(64, exactChunkBytes/int64(ps.space.RowBytes()))
}

// exactlyInChunks is exactly over rows that stand in input order, without anything in
// memory that grows with them.
func (ps *points) exactlyInChunks(ctx context.Context, places []uint32, progress func(int)) (*recall.Lists, int64, error) {
	size := ps.space.RowBytes()
	chunk := int(ps.exactChunkRows())
	sampled := make([]byte, 0, len(places)*size)
	for _, place := range places {
		sampled = append(sampled, ps.rows.Row(int(place))...)
	}
	lists := union.New(len(places), ps.k, nil)
	defer lists.Free()
	bytes := make([]byte, 0, len(sampled)+min(chunk, ps.n())*size)
	for from := 0; from < ps.n(); from += chunk {
		to := min(from+chunk, ps.n())
		bytes = append(bytes[:0], sampled...)
		for i := from; i < to; i++ {
			bytes = append(bytes, ps.rows.Row(i)...)
		}
		if err := ps.exactChunk(ctx, bytes, places, from, lists, progress); err != nil {
			return nil, 0, err
		}
	}
	found := recall.ListsOf(places, ps.k, func(i int) ([]uint32, []float32) { return lists.List(uint32(i)) })
	return found, int64(len(places)) * int64(ps.n()-1), nil
}

// exactChunk compares places, whose rows stand first in bytes, with the rows behind
// them, which are those from place from on.
func (ps *points) exactChunk(ctx context.Context, bytes []byte, places []uint32, from int, lists *union.Lists, progress func(int)) (err error) {
	n := len(bytes) / ps.space.RowBytes()
	c := &points{space: ps.space, threads: ps.threads, k: ps.k}
	if err := c.over(bytes, n); err != nil {
		return err
	}
	screens, err := c.screens()
	if err != nil {
		return err
	}
	search := recall.Search{
		K:        min(ps.k+1, n-1), // a place may meet itself
		Skip:     func(number uint32) bool { return int(number) < len(places) },
		Threads:  ps.threads,
		Progress: func(n int64) { progress(int(n)) },
	}
	truth, _, err := search.Screened(ctx, n, ps.space.Dim(), ps.numbers(len(places)), screens, func() recall.Keys { return recall.Keys(c.keys()) })
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
