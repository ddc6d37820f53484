package points

import (
	"context"

	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/recall"
)

// Exact computes the exact lists of some places, and returns the number of distances evaluated.
func (ps *Points) Exact(ctx context.Context, places []uint32, progress func(int)) (*recall.Lists, int64, error) {
	lists, compared, err := ps.exact(ctx, places, progress)
	if err == nil {
		lists.Alike = ps.Alike()
	}
	return lists, compared, err
}

// Alike returns distance.Metric.Alike of the points' metric; 0 for a program's own distance.
func (ps *Points) Alike() float32 {
	if ps.Own != nil {
		return 0
	}
	return ps.Space.Metric().Alike()
}

func (ps *Points) exact(ctx context.Context, places []uint32, progress func(int)) (*recall.Lists, int64, error) {
	search := recall.Search{K: ps.K, RowOf: ps.Order, Threads: ps.Threads, Progress: func(n int64) { progress(int(n)) }}
	keys := func() recall.Keys { return recall.Keys(ps.Keys()) }
	screens, err := ps.Screens()
	if err != nil {
		return nil, 0, err
	}
	if screens == nil {
		return search.Keys(ctx, ps.N(), places, keys)
	}
	return search.Screened(ctx, ps.N(), ps.Rows.Dim(), places, screens, keys)
}

// exactChunkBytes is the size of a chunk of rows with which sampled rows are compared at a time.
const exactChunkBytes = 8 << 20

// ChunkRows returns the number of rows of a chunk.
func (ps *Points) ChunkRows() int64 {
	return max(64, exactChunkBytes/int64(ps.Space.RowBytes()))
}

// ExactInOrder is Exact for rows in input order. Its memory does not grow with the rows.
func (ps *Points) ExactInOrder(ctx context.Context, places []uint32, progress func(int)) (*recall.Lists, int64, error) {
	size := ps.Space.RowBytes()
	chunk := int(ps.ChunkRows())
	sampled := make([]byte, 0, len(places)*size)
	for _, place := range places {
		sampled = append(sampled, ps.Rows.Row(int(place))...)
	}
	lists := knn.New(len(places), ps.K, nil)
	defer lists.Free()
	bytes := make([]byte, 0, len(sampled)+min(chunk, ps.N())*size)
	for from := 0; from < ps.N(); from += chunk {
		to := min(from+chunk, ps.N())
		bytes = append(bytes[:0], sampled...)
		for i := from; i < to; i++ {
			bytes = append(bytes, ps.Rows.Row(i)...)
		}
		if err := ps.ExactChunk(ctx, bytes, places, from, lists, progress); err != nil {
			return nil, 0, err
		}
	}
	found := recall.ListsOf(places, ps.K, func(i int) ([]uint32, []float32) { return lists.List(uint32(i)) })
	found.Alike = ps.Alike()
	return found, int64(len(places)) * int64(ps.N()-1), nil
}

// ExactChunk compares some places, whose rows come first in bytes, with the rows after them, which are those
// of the places from from on.
func (ps *Points) ExactChunk(ctx context.Context, bytes []byte, places []uint32, from int, lists *knn.Lists, progress func(int)) (err error) {
	n := len(bytes) / ps.Space.RowBytes()
	c := &Points{Space: ps.Space, Threads: ps.Threads, K: ps.K}
	if err := c.Over(bytes, n); err != nil {
		return err
	}
	screens, err := c.Screens()
	if err != nil {
		return err
	}
	search := recall.Search{
		K:        min(ps.K+1, n-1), // a place may meet itself
		Skip:     func(number uint32) bool { return int(number) < len(places) },
		Threads:  ps.Threads,
		Progress: func(n int64) { progress(int(n)) },
	}
	keys := func() recall.Keys { return recall.Keys(c.Keys()) }
	var truth *recall.Lists
	if screens == nil {
		truth, _, err = search.Keys(ctx, n, ps.Numbers(len(places)), keys)
	} else {
		truth, _, err = search.Screened(ctx, n, ps.Space.Dim(), ps.Numbers(len(places)), screens, keys)
	}
	if err != nil {
		return err
	}
	OfferChunk(lists, truth, places, from)
	return nil
}

// OfferChunk offers to the lists of places the rows that were found near them, except the places themselves.
// Rows are numbered from the place from on, and come after the rows of the places.
func OfferChunk(lists *knn.Lists, found *recall.Lists, places []uint32, from int) {
	for i, place := range places {
		ids, keys := found.List(i)
		for j, id := range ids {
			if other := id - uint32(len(places)) + uint32(from); other != place {
				lists.Offer(uint32(i), other, keys[j])
			}
		}
	}
}
