//go:build unix

package living_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/knng/knng/store/living"
)

// TestPipe: a pipe is no store, and nobody waits for its writer.
func TestPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	must(t, unix.Mkfifo(pipe, 0o600))
	if living.Is(pipe) {
		t.Error("a pipe is a living store")
	}
	if _, err := living.OpenReader(pipe, nil); err == nil {
		t.Error("a pipe was opened as a store")
	}
}
