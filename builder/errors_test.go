package builder

import (
	"errors"
	"fmt"
	"testing"

	"github.com/knng/knng/store"
)

// TestErrorsOfTheStore: who tests for the store's errors finds the builder's of that name.
func TestErrorsOfTheStore(t *testing.T) {
	for own, other := range map[error]error{ErrSpace: store.ErrSpace, ErrMemory: store.ErrMemory} {
		if err := fmt.Errorf("%w: 7 bytes", own); !errors.Is(err, own) || !errors.Is(err, other) || errors.Is(other, own) {
			t.Errorf("%v is not %v", err, other)
		}
	}
}
