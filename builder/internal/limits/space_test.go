package limits_test

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/store"
)

// TestSpaceSaysItOnce: an error of a full disk is builder.ErrSpace and store.ErrSpace, and names it no oftener than the
// system and one package do.
func TestSpaceSaysItOnce(t *testing.T) {
	for _, err := range []error{fmt.Errorf("%w: a needs 9 bytes", store.ErrSpace), fmt.Errorf("write b: %w", syscall.ENOSPC)} {
		got := limits.Space(err)
		if !errors.Is(got, limits.ErrSpace) || !errors.Is(got, store.ErrSpace) || !errors.Is(got, err) || limits.Space(got) != got {
			t.Errorf("%v of %v", got, err)
		}
		if errors.Is(err, store.ErrSpace) && strings.Count(got.Error(), "no space") != 1 {
			t.Errorf("twice: %v", got)
		}
	}
	if err := errors.New("another"); limits.Space(err) != err {
		t.Error("another error is marked")
	}
}
