package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/postings"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/sparse"
)

// anySparse reports whether an input is a sparse matrix.
func anySparse(inputs []string) bool { return slices.ContainsFunc(inputs, sparse.Is) }

var errNoColumns = errors.New("--column, --id-column and --header are for files with columns of names: a sparse matrix has none")

// openSparse opens the one sparse matrix of the inputs.
func (b *buildFlags) openSparse(inputs []string) (*sparse.Source, error) {
	switch {
	case len(inputs) > 1:
		return nil, usageError{fmt.Errorf("a sparse matrix is built alone, and these are %d inputs: join them by scipy.sparse.vstack", len(inputs))}
	case b.column != "" || b.idColumn != "" || b.header.value != nil:
		return nil, usageError{errNoColumns}
	}
	src, err := sparse.Open(inputs[0], b.limit)
	return src, vectors.Refused(err)
}

// runSparse builds the graph of a sparse matrix.
func (b *buildFlags) runSparse(ctx context.Context, g *globals, inputs []string) error {
	src, err := b.openSparse(inputs)
	if err != nil {
		return err
	}
	defer src.Close()
	builder.HoldHeap(cmp.Or(b.opts.Memory, builder.DefaultMemory()))
	b.opts.Progress, b.opts.Logger = g.reporter(), g.log
	res, err := postings.Build(ctx, b.out, src, b.opts)
	if errors.Is(err, builder.ErrBadRows) && b.opts.BadRows == builder.Reject {
		err = fmt.Errorf("%w by --bad-rows", err)
	}
	return g.end(b.out, err, func() error { return showBuilt(g, res, b.out) })
}

// planSparse plans that build.
func (b *buildFlags) planSparse(ctx context.Context, g *globals, inputs []string) error {
	src, err := b.openSparse(inputs)
	if err != nil {
		return err
	}
	defer src.Close()
	p, err := postings.Plan(ctx, src, b.opts)
	if err != nil {
		return err
	}
	if g.json {
		return g.printJSON(p)
	}
	return printPlan(g, p)
}
