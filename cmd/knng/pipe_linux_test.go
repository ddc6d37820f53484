package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestIDsFromPipe: ids for append may come through a pipe, although they are looked over before they are taken.
func TestIDsFromPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	go os.WriteFile(pipe, []byte("a\nb\n"), 0o600)
	if lines, err := readLines(pipe, 2); err != nil || !slices.Equal(lines, []string{"a", "b"}) {
		t.Errorf("%q, %v", lines, err)
	}
}
