package store

import (
	"testing"

	"github.com/knng/knng/store/internal/rooted"
)

// home opens a directory for a test.
func home(t testing.TB, dir string) *rooted.Dir {
	t.Helper()
	h, err := openHome(dir)
	must(t, err)
	t.Cleanup(func() { h.Close() })
	return h
}
