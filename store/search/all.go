package search

import (
	"context"
	"fmt"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// batch is the number of queries that a goroutine takes at a time; exact queries share the rows that are
// read.
const batch = 16

// SearchAll answers many queries on all cores: it returns one list for every row of queries. Their elements
// may be of any type; float64 is not rounded before the store's offsets are subtracted
// (store.Manifest.Offsets). The lists are those of Search, with any number of goroutines. An error names its
// query, or the queries that share the failed rows or reads. Cancelling ctx ends the call with its error.
// Errors: those of Append.
func (s *Searcher) SearchAll(ctx context.Context, queries vectors.Source, q Query) ([][]store.Neighbor, error) {
	if !s.calls.Enter() {
		return nil, store.ErrClosed
	}
	defer s.calls.Leave()
	if queries.Dim() != s.Dim() {
		return nil, fmt.Errorf("%w: queries of %d elements, the rows have %d", ErrQuery, queries.Dim(), s.Dim())
	}
	if err := s.check(&q); err != nil {
		return nil, err
	}
	if s.offsets != nil {
		queries, q.form = vectors.CenteredRows(queries, s.offsets), centered
	}
	found := make([][]store.Neighbor, queries.Len())
	err := vectors.Ranges(s.opts.Threads, len(found), batch, func() func(from, to int) error {
		b := newBatcher(s, queries, q)
		return func(from, to int) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return b.answer(found[from:to], from)
		}
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// A batcher answers queries on one goroutine.
type batcher struct {
	s       *Searcher
	queries vectors.Source
	q       Query
	raw     []byte
	values  []float32
}

func newBatcher(s *Searcher, queries vectors.Source, q Query) *batcher {
	size := queries.Dim() * queries.Type().Size()
	return &batcher{s: s, queries: queries, q: q, raw: make([]byte, batch*size), values: make([]float32, queries.Dim())}
}

// answer fills in the lists of the queries from one on.
func (b *batcher) answer(found [][]store.Neighbor, first int) error {
	size := len(b.raw) / batch
	all := func(err error) error { return fmt.Errorf("queries %d to %d: %w", first, first+len(found)-1, err) }
	if err := b.queries.ReadRows(first, b.raw[:size*len(found)]); err != nil {
		return all(err)
	}
	failed, err := b.s.together(len(found), b.q.Exact, func(i int, w *walker) error {
		vectors.Decode(b.queries.Type(), b.raw[size*i:size*(i+1)], b.values)
		return w.begin(b.values, b.q)
	}, func(i int, w *walker) (err error) {
		found[i], err = w.append(make([]store.Neighbor, 0, b.q.K))
		return err
	})
	switch {
	case err != nil && failed < 0:
		return all(err)
	case err != nil:
		return fmt.Errorf("query %d: %w", first+failed, err)
	}
	return nil
}
