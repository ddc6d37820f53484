//go:build unix

package input_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/knng/knng/builder/internal/input"
	"github.com/knng/knng/vectors"
)

// TestIDsOfPipe: a pipe is refused and not waited for. It would be empty when the ids are read again.
func TestIDsOfPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (&input.IDs{Path: pipe}).Hash(3, false); !errors.Is(err, vectors.ErrUsage) || !strings.Contains(err.Error(), pipe+" is no regular file") {
		t.Errorf("a pipe of ids: %v", err)
	}
}
