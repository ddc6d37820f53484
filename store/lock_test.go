package store

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/knng/knng/store/internal/rooted"
)

// TestBuildsOutwaitReaders: a build begins where others only read the unfinished store for a moment,
// refuses at once where a build is running, and names readers that stay, not the build of before. The
// wait ends with its context.
func TestBuildsOutwaitReaders(t *testing.T) {
	home, err := rooted.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	first, err := lockDir(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if _, err := lockDir(t.Context(), home); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "is held by process") || time.Since(began) > readersTake/2 {
		t.Fatalf("beside a build: %v after %v", err, time.Since(began))
	}
	first.Close()

	reader, err := shareDir(home)
	if err != nil {
		t.Fatal(err)
	}
	defer func(before time.Duration) { readersTake = before }(readersTake)
	readersTake = 100 * time.Millisecond
	if _, err := lockDir(t.Context(), home); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "reading") {
		t.Fatalf("beside a reader that stays: %v", err)
	}
	readersTake = time.Minute
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, stop)
	began = time.Now()
	if _, err := lockDir(ctx, home); !errors.Is(err, context.Canceled) || time.Since(began) > readersTake/2 {
		t.Fatalf("stopped beside a reader that stays: %v after %v", err, time.Since(began))
	}
	time.AfterFunc(200*time.Millisecond, func() { reader.Close() })
	second, err := lockDir(t.Context(), home)
	if err != nil {
		t.Fatalf("beside a reader that leaves: %v", err)
	}
	second.Close()
}
