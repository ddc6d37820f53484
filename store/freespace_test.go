package store_test

import (
	"errors"
	"fmt"
	"strings"
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

// TestSpaceError: an error of no space is ErrSpace, once, and still itself; of a limit on the size of files the text names that, since
// the disk has space.
func TestSpaceError(t *testing.T) {
	for _, err := range []error{syscall.ENOSPC, syscall.EFBIG} {
		marked := store.SpaceError(fmt.Errorf("write x: %w", err))
		if !errors.Is(marked, store.ErrSpace) || !errors.Is(marked, err) || store.SpaceError(marked) != marked {
			t.Errorf("%v", marked)
		}
		if limit := strings.Contains(marked.Error(), "ulimit -f"); limit != (err == syscall.EFBIG) || limit && strings.Contains(marked.Error(), "no space") {
			t.Errorf("%v", marked)
		}
	}
	if store.SpaceError(nil) != nil || store.SpaceError(syscall.EIO) != syscall.EIO {
		t.Error("another error is marked")
	}
}
