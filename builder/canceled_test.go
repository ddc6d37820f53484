package builder_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
)

// TestCanceledBefore: all that takes a context returns its error and the cause, also of a context that has
// ended before.
func TestCanceledBefore(t *testing.T) {
	dir, in, o := t.TempDir(), input(t, clustered(3, 300, 4), 4), builder.Options{K: 4}
	if _, err := builder.Build(t.Context(), filepath.Join(dir, "g"), in, o); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(filepath.Join(dir, "g"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	why := errors.New("shutdown")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(why)
	for name, call := range map[string]func() error{
		"Build":    func() error { _, err := builder.Build(ctx, filepath.Join(dir, "h"), in, o); return err },
		"Manifest": func() error { _, err := builder.Manifest(ctx, in, o); return err },
		"Plan":     func() error { _, err := builder.Plan(ctx, in, o); return err },
		"MeasureRecall": func() error {
			est, err := builder.MeasureRecall(ctx, s, 10, 1, nil)
			if est != (builder.RecallEstimate{}) {
				t.Errorf("%+v beside an error", est)
			}
			return err
		},
		"RecallByRow": func() error { _, err := builder.RecallByRow(ctx, s, 10, 1, nil); return err },
		"Search.Keys": func() error {
			keys := recall.Each(func(a, b uint32) (float32, error) { return 0, nil })
			_, _, err := recall.Search{K: 1}.Keys(ctx, 10, []uint32{0}, keys)
			return err
		},
	} {
		if err := call(); !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRecallSample: a sample of 0 rows is the default, and one of fewer is an error, not a recall of 1.
func TestRecallSample(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g")
	build(t, dir, input(t, clustered(4, 1200, 3), 3), builder.Options{K: 3})
	s, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if est, err := builder.MeasureRecall(t.Context(), s, 0, 1, nil); err != nil || est.Sample != 1000 {
		t.Errorf("default: %+v, %v", est, err)
	}
	if est, err := builder.MeasureRecall(t.Context(), s, -1, 1, nil); err == nil || est != (builder.RecallEstimate{}) {
		t.Errorf("-1: %+v, %v", est, err)
	}
	if per, err := builder.RecallByRow(t.Context(), s, -1, 1, nil); err == nil || per != nil {
		t.Errorf("-1 by row: %d recalls, %v", len(per), err)
	}
}
