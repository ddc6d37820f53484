package stopped

import (
	"context"
	"errors"
	"testing"
)

// TestError: an error of a context that ended is the context's and the cause, whichever of them the work
// returned; other errors stay as they are.
func TestError(t *testing.T) {
	why, other := errors.New("shutdown"), errors.New("other")
	ctx, stop := context.WithCancelCause(context.Background())
	if err := Error(ctx, other); err != other {
		t.Errorf("%v before the end", err)
	}
	stop(why)
	for _, of := range []error{ctx.Err(), why, errors.Join(ctx.Err(), why)} {
		if err := Error(ctx, of); !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
			t.Errorf("%v: %v", of, err)
		}
	}
	for _, of := range []error{nil, other} {
		if err := Error(ctx, of); err != of {
			t.Errorf("%v: %v", of, err)
		}
	}
	plain, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Error(plain, plain.Err()); err != context.Canceled {
		t.Errorf("without a cause: %v", err)
	}
}
