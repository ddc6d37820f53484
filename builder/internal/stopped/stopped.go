// Package stopped makes one error of a context that ended and of its cause: all of builder that takes
// a context returns it.
package stopped

import (
	"context"
	"errors"
	"fmt"
)

// Error returns err, of work under ctx, as an error that shows both that ctx ended and why.
func Error(ctx context.Context, err error) error {
	end, cause := ctx.Err(), context.Cause(ctx)
	switch ended := end != nil && errors.Is(err, end); {
	case end == nil || ended == errors.Is(err, cause):
		return err
	case ended:
		return fmt.Errorf("%w: %w", err, cause)
	}
	return fmt.Errorf("%w: %w", end, err)
}
