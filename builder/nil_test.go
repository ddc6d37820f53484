package builder_test

import (
	"context"
	"errors"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/postings"
	"github.com/knng/knng/builder/refine"
	"github.com/knng/knng/builder/shards"
	"github.com/knng/knng/store/analysis/affinity"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/store/sparsesearch"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestNil: a nil input, matrix or store is an error of usage, not a panic.
func TestNil(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	o := builder.Options{K: 2}
	sparse := builder.Options{K: 2, Metric: distance.Cosine}
	for name, call := range map[string]func() error{
		"Build":                  func() error { _, err := builder.Build(ctx, dir, nil, o); return err },
		"Build of a nil source":  func() error { _, err := builder.Build(ctx, dir, vectors.NewInput(nil), o); return err },
		"Plan":                   func() error { _, err := builder.Plan(ctx, nil, o); return err },
		"Manifest":               func() error { _, err := builder.Manifest(ctx, nil, o); return err },
		"MeasureRecall":          func() error { _, err := builder.MeasureRecall(ctx, nil, 0, 1, nil); return err },
		"RecallByRow":            func() error { _, err := builder.RecallByRow(ctx, nil, 0, 1, nil); return err },
		"shards.Begin":           func() error { _, err := shards.Begin(ctx, dir, nil, o, shards.Cut{}); return err },
		"postings.Build":         func() error { _, err := postings.Build(ctx, dir, nil, sparse); return err },
		"postings.Plan":          func() error { _, err := postings.Plan(ctx, nil, sparse); return err },
		"postings.MeasureRecall": func() error { _, err := postings.MeasureRecall(ctx, nil, 0, 1, nil); return err },
		"Refine":                 func() error { _, err := refine.Refine(ctx, dir, nil, refine.Options{}); return err },
		"refine.Validate":        func() error { return refine.Options{}.Validate(nil) },
		"search.Open":            func() error { _, err := search.Open(nil, nil); return err },
		"search.Make":            func() error { return search.Make(nil, nil) },
		"search.Check":           func() error { return search.Check(ctx, nil) },
		"sparsesearch.Open":      func() error { _, err := sparsesearch.Open(nil, nil); return err },
		"affinity.OfStore":       func() error { return affinity.OfStore(nil)(nil) },
	} {
		if err := call(); !errors.Is(err, vectors.ErrUsage) {
			t.Errorf("%s: %v, want vectors.ErrUsage", name, err)
		}
	}
}
