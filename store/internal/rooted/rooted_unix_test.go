//go:build !windows

package rooted_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// copyOf is the file as a forked process has it.
func copyOf(t *testing.T, f *os.File) *os.File {
	t.Helper()
	fd, err := unix.Dup(int(f.Fd()))
	must(t, err)
	return os.NewFile(uintptr(fd), f.Name())
}
