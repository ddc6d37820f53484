package rebuild_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
)

// TestDamagedRows: neither a compaction nor a merge seals rows that changed on the disk.
func TestDamagedRows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g")
	data, _ := rowsOf(20_000, 0)
	build(t, dir, data, nil, builder.Options{K: 2})
	path := filepath.Join(dir, "vectors", "rows")
	rows, err := os.ReadFile(path)
	must(t, err)
	rows[(len(rows)-4096)/63*32+4096+300] ^= 0x40 // between two blocks of the sample that opening hashes
	must(t, os.WriteFile(path, rows, 0o666))

	db, err := living.Open(dir, nil)
	must(t, err)
	defer db.Close()
	must(t, db.Update(func(tx *living.Tx) error { return tx.DeleteRow(3) }))
	if err := rebuild.Compact(t.Context(), db, rebuild.Options{}); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("compact: %v, want %v", err, store.ErrCorrupt)
	}
	merged := filepath.Join(t.TempDir(), "merged")
	if _, err := rebuild.Merge(t.Context(), merged, 0, []string{dir}, rebuild.Options{}); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("merge: %v, want %v", err, store.ErrCorrupt)
	}
	if _, err := os.Lstat(merged); err == nil {
		t.Error("a refused merge left a folder")
	}
}
