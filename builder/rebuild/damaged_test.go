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
	"github.com/knng/knng/vectors"
)

// TestDamagedRows: neither a compaction nor a merge seals rows that changed on the disk, those of the store or of a referenced file,
// and a check finds them.
func TestDamagedRows(t *testing.T) {
	for _, reference := range []bool{false, true} {
		dir, input := filepath.Join(t.TempDir(), "g"), filepath.Join(t.TempDir(), "rows.fvecs")
		data, _ := rowsOf(20_000, 0)
		path := filepath.Join(dir, "vectors", "rows")
		if reference {
			path = input
		}
		w, err := vectors.Create(input, vectors.Float32, 4)
		must(t, err)
		for i := 0; i < len(data); i += 4 {
			must(t, w.AppendFloat32(data[i:i+4], ""))
		}
		must(t, w.Close())
		in, err := vectors.Open([]string{input}, nil)
		must(t, err)
		_, err = builder.Build(t.Context(), dir, in, builder.Options{K: 2, Reference: reference})
		must(t, errors.Join(err, in.Close()))
		report, err := store.Check(t.Context(), dir, store.CheckOptions{Sample: 1})
		if err != nil || len(report.Faults) > 0 {
			t.Fatalf("%v, %q", err, report.Faults)
		}

		rows, err := os.ReadFile(path)
		must(t, err)
		rows[(len(rows)-4096)/63*32+4096+300] ^= 0x10 // between two blocks of the sample that opening hashes
		must(t, os.WriteFile(path, rows, 0o666))
		if report, err := store.Check(t.Context(), dir, store.CheckOptions{Sample: 1}); err != nil || len(report.Faults) == 0 {
			t.Errorf("check: %v, %q", err, report.Faults)
		}
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
}
