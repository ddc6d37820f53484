package pebblefs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/store/internal/pebblefs"
	"github.com/knng/knng/store/internal/rooted"
)

// TestReuseForWrite: a file that is reused holds nothing of its time before.
func TestReuseForWrite(t *testing.T) {
	dir := t.TempDir()
	old, again := filepath.Join(dir, "000002.log"), filepath.Join(dir, "000007.log")
	if err := os.WriteFile(old, make([]byte, 1000), 0o666); err != nil {
		t.Fatal(err)
	}
	home, err := rooted.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	f, err := pebblefs.Of(home).ReuseForWrite(old, again, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(again); err != nil || string(text) != "new" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("under its old name: %v", err)
	}
}
