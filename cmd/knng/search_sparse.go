package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/sparsesearch"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/sparse"
)

// runSparse is run for a graph of sparse rows.
func (f *searchFlags) runSparse(ctx context.Context, g *globals, s *store.Store, paths []string) error {
	if f.recall > 0 || f.effort > 0 {
		return usageError{errors.New("--recall and --effort are for graphs of dense rows: searches of sparse rows are exact")}
	}
	if f.columns != (columns{}) {
		return usageError{errNoColumns}
	}
	r, err := sparsesearch.Open(s, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	q := sparsesearch.Query{K: f.query.K, Within: f.query.Within}
	if f.filter != "" {
		if q.Keep, err = keepRows(s, f.filter); err != nil {
			return err
		}
	}
	found, err := f.foundSparse(ctx, s, r, q, paths)
	if err != nil {
		return err
	}
	return f.show(g, shownStore{s}, found, nil, map[string]any{"dir": s.Dir(), "counts": nil})
}

// foundSparse answers the queries of a file, or the one that a flag names.
func (f *searchFlags) foundSparse(ctx context.Context, s *store.Store, r *sparsesearch.Searcher, q sparsesearch.Query, paths []string) ([][]store.Neighbor, error) {
	if len(paths) > 0 {
		return searchFile(ctx, r, q, paths[0])
	}
	row, err := f.rowOf(shownStore{s})
	if err != nil {
		return nil, err
	}
	v, err := r.Row(row)
	if err != nil {
		return nil, err
	}
	return r.SearchAll(ctx, []sparsesearch.Vector{v}, q)
}

// searchFile answers the rows of a sparse matrix.
func searchFile(ctx context.Context, r *sparsesearch.Searcher, q sparsesearch.Query, path string) ([][]store.Neighbor, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	if !sparse.Is(path) {
		return nil, usageError{fmt.Errorf("%s is no sparse matrix, and the graph's rows are sparse: scipy.sparse.save_npz(\"q.npz\", scipy.sparse.csr_matrix(rows)) writes one", path)}
	}
	src, err := sparse.Open(path, 0)
	if err != nil {
		return nil, vectors.Refused(err)
	}
	defer src.Close()
	if src.Columns() != r.Columns() {
		return nil, usageError{fmt.Errorf("%s has rows of %d columns, the graph's have %d", path, src.Columns(), r.Columns())}
	}
	var queries []sparsesearch.Vector
	_, err = src.Each(ctx, func(_ int, columns []uint32, values []float32) error {
		queries = append(queries, sparsesearch.Vector{Columns: slices.Clone(columns), Values: slices.Clone(values)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	found, err := r.SearchAll(ctx, queries, q)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return found, nil
}

// keepRows is a filter that only the rows of a file pass.
func keepRows(s *store.Store, path string) (func(store.Row) bool, error) {
	rows, err := readRows(s, path)
	if err != nil {
		return nil, err
	}
	allowed := make([]bool, s.Len())
	for _, row := range rows {
		allowed[row] = true
	}
	return func(row store.Row) bool { return allowed[row] }, nil
}
