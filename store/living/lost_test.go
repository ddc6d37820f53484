package living_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
)

// lost reports damage by every way to open a store, and writes nothing.
func lost(t *testing.T, dir, file string) {
	t.Helper()
	before := files(t, dir)
	if !living.Is(dir) {
		t.Errorf("without %s: passes for a store as it was built", file)
	}
	for _, write := range []bool{false, true} {
		v, err := viewOf(dir, write)
		if !errors.Is(err, living.ErrCorrupt) {
			t.Errorf("without %s, opened with write %v: %v, want %v", file, write, err, living.ErrCorrupt)
		}
		if err == nil {
			v.Close()
		}
	}
	if s, err := store.Open(dir, nil); err == nil {
		t.Errorf("without %s: store.Open takes the store for one as it was built", file)
		s.Close()
	}
	if after := files(t, dir); after != before {
		t.Errorf("without %s: the files were\n%sand are\n%s", file, before, after)
	}
}

// files are the names of all files of a living store but its base and its lock.
func files(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "living", "*"))
	must(t, err)
	var b strings.Builder
	for _, name := range names {
		if name = filepath.Base(name); name != "lock" {
			b.WriteString(name + "\n")
		}
	}
	return b.String()
}

// TestLostFiles: a store that was written to, and lost any file of package living but the lock, is damaged: it
// does not pass for one that was never written to.
func TestLostFiles(t *testing.T) {
	for _, compacted := range []bool{false, true} {
		dir, rows := builtStore(t, 60, 4)
		db := open(t, dir)
		write := func() {
			must(t, db.Update(func(tx *living.Tx) error {
				if _, err := tx.Put("a", rows[9]); err != nil {
					return err
				}
				return tx.DeleteRow(3)
			}))
		}
		if write(); compacted {
			compact(t, db, 0)
		} else {
			must(t, db.Integrate(context.Background()))
		}
		must(t, db.Close())
		for _, file := range strings.Fields(files(t, dir)) {
			at := filepath.Join(dir, "living", file)
			must(t, os.Rename(at, dir+".aside"))
			lost(t, dir, file)
			must(t, os.Rename(dir+".aside", at))
			if !strings.HasPrefix(file, "log-") || compacted {
				continue
			}
			whole, err := os.ReadFile(at)
			must(t, err)
			for _, size := range []int64{0, 47, 80, 81} {
				must(t, os.Truncate(at, size))
				lost(t, dir, fmt.Sprintf("bytes of %s from %d on", file, size))
				must(t, os.WriteFile(at, whole, 0o666))
			}
		}
		v := reader(t, dir)
		if v.Len() != len(rows) {
			t.Errorf("%d rows, want %d", v.Len(), len(rows))
		}
		must(t, v.Close())
	}
}

// TestNothingPromised: files of a writer that ended before its first transaction are no damage, with CURRENT
// and without it.
func TestNothingPromised(t *testing.T) {
	dir, rows := builtStore(t, 60, 4)
	db := open(t, dir)
	must(t, db.Integrate(context.Background()))
	killed := filepath.Join(t.TempDir(), "killed")
	must(t, os.CopyFS(killed, os.DirFS(dir)))
	must(t, db.Close())
	for _, without := range []string{"", "CURRENT", "MANIFEST-000001"} {
		if without != "" {
			must(t, os.RemoveAll(filepath.Join(killed, "living", without)))
		}
		for _, dir := range []string{killed, dir} {
			if living.Is(dir) {
				t.Errorf("%s without %q: written to, though nothing was", dir, without)
			}
			v := reader(t, dir)
			if v.Len() != len(rows) {
				t.Errorf("%d rows, want %d", v.Len(), len(rows))
			}
			must(t, v.Close())
		}
	}
	db = open(t, killed)
	must(t, db.Update(func(tx *living.Tx) error { return second(tx.Put("", rows[5])) }))
	must(t, db.Close())
	if !living.Is(killed) {
		t.Error("a store that was written to passes for one as it was built")
	}
}

// TestRowsCut: a file of row numbers that cannot be read any more, as on a disk that fails, ends no process that
// has the store open.
func TestRowsCut(t *testing.T) {
	dir, rows := builtIDs(t, 2000, 2)
	db := open(t, dir)
	must(t, db.Update(func(tx *living.Tx) error { return tx.DeleteRow(0) }))
	compact(t, db, 0)
	v := reader(t, dir)
	names, err := filepath.Glob(filepath.Join(dir, "living", "rows-*"))
	if must(t, err); len(names) != 1 {
		t.Fatal(names)
	}
	must(t, os.Truncate(names[0], 0))
	if found, err := v.Search(rows[1500], living.Query{K: 3}); err != nil || len(found) != 3 {
		t.Errorf("%v, %v", found, err)
	}
	if row, err := v.RowOf("id 1999"); err != nil || row != 1999 || !v.Has(row) {
		t.Errorf("row %d, %v", row, err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	must(t, v.Backup(t.Context(), to))
	if b := reader(t, to); b.Len() != 1999 || !b.Has(1999) || b.Has(0) {
		t.Errorf("%+v", b.State())
	}
}

// TestWrongBase: a base that was built of other rows than there are, or is damaged before it counts, does not
// come to count, and the next compaction builds another in its place.
func TestWrongBase(t *testing.T) {
	for _, damaged := range []bool{false, true} {
		dir, rows := builtStore(t, 60, 4)
		db := open(t, dir)
		must(t, db.Update(func(tx *living.Tx) error { return second(tx.Put("", rows[9])) }))
		build := rebuild.Auto(rebuild.Options{Threads: 1})
		err := db.Compact(t.Context(), "", func(ctx context.Context, job living.Job) error {
			if !damaged {
				other, _ := builtStore(t, 61, 4)
				return os.Rename(other, job.Dir)
			}
			if err := build(ctx, job); err != nil {
				return err
			}
			vectors := filepath.Join(job.Dir, "vectors", "rows")
			data, err := os.ReadFile(vectors)
			must(t, err)
			data[len(data)-1] ^= 1
			return os.WriteFile(vectors, data, 0o666)
		})
		if !errors.Is(err, living.ErrCorrupt) {
			t.Fatalf("damaged %v: %v", damaged, err)
		}
		must(t, db.Close())
		db = open(t, dir)
		must(t, db.Compact(t.Context(), "", build))
		if v := view(t, db); v.Len() != 61 || v.State().Pending != 0 {
			t.Errorf("damaged %v: %+v", damaged, v.State())
		}
	}
}

// TestTornLength: readers have every transaction where one of the two durable lengths of a log changed, also after
// a Refresh.
func TestTornLength(t *testing.T) {
	dir, rows := builtStore(t, 60, 4)
	db := open(t, dir)
	for i := range 2 {
		must(t, db.Update(func(tx *living.Tx) error { return tx.DeleteRow(store.Row(i)) }))
	}
	must(t, db.Close())
	log := filepath.Join(dir, "living", "log-000001")
	whole, err := os.ReadFile(log)
	must(t, err)
	for _, at := range []int{48, 56, 64, 72} {
		torn := append([]byte(nil), whole...)
		torn[at] ^= 1
		must(t, os.WriteFile(log, torn, 0o666))
		v := reader(t, dir)
		if v.Len() != len(rows)-2 {
			t.Errorf("byte %d: %d rows, want %d", at, v.Len(), len(rows)-2)
		}
		again, err := v.Refresh()
		if err != nil {
			t.Errorf("byte %d: %v", at, err)
		} else if again != v {
			must(t, again.Close())
		}
		must(t, v.Close())
	}
}
