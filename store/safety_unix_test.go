//go:build !windows

package store

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// unixSpoilers are what other systems do not have.
var unixSpoilers = []spoiler{
	{"a pipe", func(t *testing.T, path, _ string) { must(t, os.Remove(path)); must(t, unix.Mkfifo(path, 0o666)) }},
	{"a link to a device", func(t *testing.T, path, _ string) { must(t, os.Remove(path)); must(t, os.Symlink("/dev/zero", path)) }},
}
