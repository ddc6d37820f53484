package job

import (
	"context"
	"errors"
	"fmt"
)

// Stopped returns err, of a build under ctx, as an error that shows both that ctx ended and why.
func Stopped(ctx context.Context, err error) error {
	end, cause := ctx.Err(), context.Cause(ctx)
	switch ended := end != nil && errors.Is(err, end); {
	case end == nil || ended == errors.Is(err, cause):
		return err
	case ended:
		return fmt.Errorf("%w: %w", err, cause)
	}
	return fmt.Errorf("%w: %w", end, err)
}
