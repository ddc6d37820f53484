package living_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store/living"
)

// TestContextOfWait: a context ends the wait of Compact and Integrate for a transaction, also for one that calls them.
func TestContextOfWait(t *testing.T) {
	dir, _ := builtStore(t, 60, 4)
	db := open(t, dir)
	calls := map[string]func(ctx context.Context) error{
		"Integrate": db.Integrate,
		"Compact":   func(ctx context.Context) error { return rebuild.Compact(ctx, db, rebuild.Options{}) },
	}
	must(t, db.Update(func(tx *living.Tx) error {
		if _, err := tx.Put("", make([]float32, 4)); err != nil {
			return err
		}
		for name, call := range calls {
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
			if err := call(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", name, err)
			}
			stop()
		}
		return nil
	}))
	for name, call := range calls {
		if err := call(t.Context()); err != nil {
			t.Errorf("%s after the transaction: %v", name, err)
		}
	}
}
