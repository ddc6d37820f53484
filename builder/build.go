package builder

import (
	"context"

	"github.com/knng/knng/vectors"
)

// Build builds the k-NN graph of src into the store at dir, or continues the
// build there that was interrupted: call it again with the same options.
// Cancelling ctx stops cleanly between units and returns ctx's error.
//
// When dir already holds the finished graph of these options, Build returns its
// stored Result at once. Errors to test: store.ErrMismatch, store.ErrLocked,
// ErrBadRows, ErrMemory, ErrSpace.
func Build(ctx context.Context, dir string, src *vectors.Input, opts Options) (*Result, error) {
	panic("stub")
}
