package store_test

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/knng/knng/store"
)

// TestNoSpace: each way in which files can grow no more is one of no space; a broken disk is not.
func TestNoSpace(t *testing.T) {
	for err, want := range map[error]bool{store.ErrSpace: true, syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EFBIG: true, syscall.EIO: false, nil: false} {
		if got := store.NoSpace(err); got != want {
			t.Errorf("%v: %v", err, got)
		}
		if err != nil && store.NoSpace(fmt.Errorf("write x: %w", err)) != want {
			t.Errorf("wrapped %v: not %v", err, want)
		}
	}
}
