package limits_test

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/store"
)

// TestErrors: the errors of builder are those of the store too, and are told once; a full disk is
// marked once, and other errors are left as they are.
func TestErrors(t *testing.T) {
	for err, of := range map[error]error{limits.ErrMemory: store.ErrMemory, limits.ErrSpace: store.ErrSpace} {
		if !errors.Is(fmt.Errorf("%w: so much", err), of) {
			t.Errorf("%v is not %v", err, of)
		}
	}
	other := errors.New("other")
	if got := limits.Space(other); got != other {
		t.Errorf("another error became %v", got)
	}
	if got := limits.Space(nil); got != nil {
		t.Errorf("no error became %v", got)
	}
	full := fmt.Errorf("write x: %w", syscall.ENOSPC)
	once := limits.Space(full)
	if !errors.Is(once, limits.ErrSpace) || !errors.Is(once, syscall.ENOSPC) {
		t.Errorf("a full disk is %v", once)
	}
	if twice := limits.Space(once); twice != once {
		t.Errorf("marked twice: %v", twice)
	}
}

// TestMebibytes: a tenth, rounded down.
func TestMebibytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0.0 MiB", limits.MiB - 1: "0.9 MiB", limits.MiB: "1.0 MiB", 3*limits.MiB/2 + 1: "1.5 MiB", 5000 * limits.MiB: "5000.0 MiB"} {
		if got := limits.Mebibytes(n); got != want {
			t.Errorf("%d bytes are %s, want %s", n, got, want)
		}
	}
}
