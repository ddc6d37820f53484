package search

import (
	"context"
	"fmt"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// Estimate returns about the recall of queries with q.K and q.Effort. It searches for rows of the store, each
// as if it were absent, and uses their lists instead of exact answers, as far as they go. So it costs as much
// as the same number of queries, and is as accurate as the lists. Queries from elsewhere may find less.
// Errors: those of Tune.
func (s *Searcher) Estimate(ctx context.Context, q Query, rows int) (recall float64, err error) {
	if !s.calls.Enter() {
		return 0, store.ErrClosed
	}
	defer s.calls.Leave()
	if q.K < 1 || rows < 1 {
		return 0, fmt.Errorf("%w: an estimate of queries of %d results by %d rows", ErrQuery, q.K, rows)
	}
	places := holdOut(s.Len(), rows, leadersSeed)
	found, err := (heldOut{s, ctx}).search(places, Query{K: q.K, Effort: q.Effort})
	if err != nil {
		return 0, err
	}
	err = vectors.Guard(func() error {
		var list []store.Neighbor
		for i, p := range places {
			if list, err = s.g.Neighbors(store.Row(s.order[p]), list[:0]); err != nil {
				return err
			}
			recall += Recall(found[i], list[:min(q.K, len(list))]) / float64(len(places))
		}
		return nil
	})
	return recall, err
}
