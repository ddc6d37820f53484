//go:build unix

package vectors

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipeIsNoFile: a pipe with the name of a file is refused before it is opened, which
// would wait for whoever writes to it.
func TestPipeIsNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.npy")
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Skip("no pipes here:", err)
	}
	if _, err := Open([]string{path}, nil); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a pipe: %v", err)
	}
	if _, err := mapFile(path); err == nil {
		t.Error("a pipe was mapped")
	}
}
