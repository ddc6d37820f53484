package store

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/storeerr"
)

// TestNothingIsMadeInForeignFolders: a folder that has a "graph" of somebody else is
// refused, and nothing in that is touched.
func TestNothingIsMadeInForeignFolders(t *testing.T) {
	dir := t.TempDir()
	graph := filepath.Join(dir, graphName)
	must(t, os.Mkdir(graph, 0o777))
	must(t, os.WriteFile(filepath.Join(graph, "000007.sst"), []byte("mine"), 0o666))
	if _, err := OpenDraft(dir, tiny(3), nil); !errors.Is(err, ErrNotStore) {
		t.Errorf("error %v, want ErrNotStore", err)
	}
	if names, err := filepath.Glob(filepath.Join(graph, "*")); err != nil || len(names) != 1 {
		t.Errorf("the folder has %q now", names)
	}
}

// TestPartOfACopyIsKept: of a build that was copied without the files that name its
// database no table is deleted.
func TestPartOfACopyIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	d := open(t, dir, tiny(100))
	l := Lists{}
	l.Append(3, []uint32{4}, []float32{1})
	must(t, d.CommitUnit(1, 0, []Lists{l}, nil))
	must(t, d.Close())
	markers, err := filepath.Glob(filepath.Join(dir, graphName, "marker.*"))
	if err != nil || len(markers) == 0 {
		t.Fatalf("markers %q %v", markers, err)
	}
	for _, m := range markers {
		must(t, os.Remove(m))
	}
	before, err := filepath.Glob(filepath.Join(dir, graphName, "*"))
	must(t, err)
	if _, err := OpenDraft(dir, tiny(100), nil); !errors.Is(err, ErrNotStore) {
		t.Errorf("error %v, want ErrNotStore", err)
	}
	if after, _ := filepath.Glob(filepath.Join(dir, graphName, "*")); !slices.Equal(after, before) {
		t.Errorf("of %q are left %q", before, after)
	}
}

// TestScratchInTheStoreIsRefused, because it would be sealed and then removed.
func TestScratchInTheStoreIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	for scratch, ok := range map[string]bool{
		dir: false, filepath.Join(dir, "tmp"): false, filepath.Join(dir, "scratch2"): false,
		filepath.Join(dir, scratchName): true, filepath.Join(dir, scratchName, "more"): true, dir + "-scratch": true, filepath.Dir(dir): true,
	} {
		d, err := OpenDraft(dir, tiny(3), &DraftOptions{Scratch: scratch})
		if (err == nil) != ok {
			t.Errorf("scratch in %s: %v", scratch, err)
		}
		if d != nil {
			must(t, d.Close())
		}
	}
}

// TestOlderBuildIsRefused at once, and not as damage.
func TestOlderBuildIsRefused(t *testing.T) {
	for _, key := range [][]byte{key32(tagBlock, 1, 0, 0), key32(tagFolded, 1, 0)} {
		dir := filepath.Join(t.TempDir(), "s")
		d := open(t, dir, tiny(3))
		must(t, d.engine.set(key, []byte{1, 7, 1, 9, 0, 0, 0, 0, 0, 128, 63}))
		must(t, d.Close())
		if _, err := OpenDraft(dir, tiny(3), nil); !errors.Is(err, errOldForm) || errors.Is(err, ErrCorrupt) {
			t.Errorf("error %v, want %v", err, errOldForm)
		}
	}
}

// TestHostileCounts: numbers in records are not believed before they are compared.
func TestHostileCounts(t *testing.T) {
	dir := finished(t, 100, false)
	_, err := BuildReverse(context.Background(), dir, nil)
	must(t, err)
	for _, rows := range []int64{-1, 1 << 40, 1 << 62} {
		for folder, record := range map[string]any{
			filepath.Join(dir, graphName):              Shape{Rows: int(rows), K: 2, Lists: 100},
			filepath.Join(dir, reverseName, graphName): Reverse{Rows: int(rows)},
		} {
			name := block.ShapeRecord
			if _, of := record.(Reverse); of {
				name = reverseRecord
			}
			damaged := filepath.Join(t.TempDir(), "s")
			must(t, os.CopyFS(damaged, os.DirFS(dir)))
			rel, err := filepath.Rel(dir, folder)
			must(t, err)
			setRecord(t, filepath.Join(damaged, rel), name, record)
			if s, err := Open(damaged, nil); err == nil {
				if _, err := s.InNeighbors(1, nil); err == nil {
					t.Errorf("%s of %d rows: no error", name, rows)
				}
				must(t, s.Close())
			}
			if err := Dump(t.Context(), damaged, new(strings.Builder), "view/5"); err == nil && name == block.ShapeRecord {
				t.Errorf("%d rows: the view was dumped", rows)
			}
		}
	}
}

// setRecord changes a record of a database, and seals it again.
func setRecord(t *testing.T, dir, name string, v any) {
	t.Helper()
	setRecordUnsealed(t, dir, name, v)
	sealAgain(t, filepath.Dir(dir))
}

// setRecordUnsealed changes a record of a database behind its seal.
func setRecordUnsealed(t *testing.T, dir, name string, v any) {
	t.Helper()
	e, err := openEngine(vfs.Default, dir, 1<<20, toWrite, nil)
	must(t, err)
	value, err := json.Marshal(v)
	must(t, err)
	must(t, e.set(recordKey(name), value))
	must(t, e.close())
}

// sealAgain seals a folder as it is.
func sealAgain(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, catalogName)); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	must(t, seal(t.Context(), vfs.Default, home(t, dir), nil, nil, func() error { return nil }))
}

// TestShortKeys: a key that is too short for what it says is damage.
func TestShortKeys(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "s"), tiny(3))
	defer d.Close()
	must(t, d.engine.set([]byte{tagOrder}, []byte{0, 0, 0, 0}))
	if _, err := d.engine.integers(key32(tagOrder), nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("error %v, want ErrCorrupt", err)
	}
}

// TestCheckGoesOn where a file cannot be read, and stops when it is told to.
func TestCheckGoesOn(t *testing.T) {
	dir := finished(t, 100, false)
	rows := filepath.Join(dir, "vectors", "rows")
	must(t, os.Remove(rows))
	must(t, os.Symlink(filepath.Join(dir, "nowhere"), rows))
	report, err := Check(context.Background(), dir, CheckOptions{})
	if found := fmt.Sprint(report, err); err != nil || !strings.Contains(found, "vectors/rows: cannot be read") {
		t.Errorf("found %s", found)
	}
	ctx, cancel := context.WithCancel(context.Background())
	told := false
	_, err = Check(ctx, finished(t, 100, false), CheckOptions{Progress: func(what string, done, total int64) {
		told = told || what == "files" && done > 0 && done <= total
		cancel()
	}})
	if !told || !errors.Is(err, context.Canceled) {
		t.Errorf("told %v, error %v", told, err)
	}
}

// TestIDsInRuns: ids come out the same however many runs they are sorted in, and a
// repeated one is found between runs too.
func TestIDsInRuns(t *testing.T) {
	defer func(n int) { idRunBytes = n }(idRunBytes)
	const n = 1000
	var text strings.Builder
	for row := range n {
		fmt.Fprintf(&text, "id %d\n", row*7919%n)
	}
	path := filepath.Join(t.TempDir(), "ids")
	for _, bytes := range []int{1 << 20, 4000, 300, 1} {
		idRunBytes = bytes
		must(t, os.WriteFile(path, []byte(text.String()), 0o666))
		d := open(t, filepath.Join(t.TempDir(), "s"), tiny(n))
		must(t, commitIDs(t, d, path, n, nil))
		for row := range n {
			text, err := d.engine.appendID(nil, uint64(row))
			must(t, err)
			id := string(text)
			if back, ok, err := d.engine.rowOf(id); err != nil || !ok || back != uint64(row) || id != fmt.Sprintf("id %d", row*7919%n) {
				t.Fatalf("runs of %d bytes: row %d has id %q of row %d, %v", bytes, row, id, back, err)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(d.Dir(), scratchName, "ids*")); len(left) > 0 {
			t.Errorf("runs are left: %q", left)
		}
		must(t, os.WriteFile(path, []byte(text.String()+"id 7\n"), 0o666))
		if err := commitIDs(t, d, path, n+1, nil); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("and %d are both %q", n+1, "id 7")) {
			t.Errorf("runs of %d bytes: %v", bytes, err)
		}
		must(t, d.Close())
	}
}

// TestIDsOfDroppedRows are left out.
func TestIDsOfDroppedRows(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "s"), tiny(3))
	defer d.Close()
	path := filepath.Join(t.TempDir(), "ids")
	must(t, os.WriteFile(path, []byte("dropped\na\nb\n\nc\n"), 0o666))
	must(t, commitIDs(t, d, path, 3, []uint32{0, 3}))
	for row, want := range []string{"a", "b", "c"} {
		if id, err := d.engine.appendID(nil, uint64(row)); err != nil || string(id) != want {
			t.Errorf("row %d: %q %v, want %q", row, id, err, want)
		}
	}
	if err := commitIDs(t, d, path, 2, []uint32{0, 3}); err == nil || !strings.Contains(err.Error(), "5 lines, want one for each of 4 rows") {
		t.Errorf("error %v", err)
	}
}

// TestDumpOfARunningBuild is refused: its files come and go.
func TestDumpOfARunningBuild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	d := open(t, dir, tiny(100))
	if err := Dump(t.Context(), dir, new(strings.Builder), ""); !errors.Is(err, ErrLocked) {
		t.Errorf("while it runs: %v", err)
	}
	must(t, d.Close())
	must(t, Dump(t.Context(), dir, new(strings.Builder), ""))
}

// TestDamage: what the system refuses says nothing of a store.
func TestDamage(t *testing.T) {
	for err, corrupt := range map[error]bool{
		errors.New("checksum"): true, fs.ErrNotExist: false, syscall.EMFILE: false, syscall.EACCES: false, syscall.EIO: false,
	} {
		if got := errors.Is(storeerr.Damage(fmt.Errorf("read: %w", err)), ErrCorrupt); got != corrupt {
			t.Errorf("%v: corrupt is %v", err, got)
		}
	}
}

// TestLastListIsThere: the number of rows is held against the lists before anything is
// allocated by it, and that of an id's row before it is returned.
func TestLastListIsThere(t *testing.T) {
	const n = 100
	dir := finished(t, n, true)
	s, err := Open(dir, nil)
	must(t, err)
	must(t, s.engine.reaches(n))
	for _, rows := range []int{n - 1, n + 1, n + 16, 1 << 31} {
		if err := s.engine.reaches(rows); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
	must(t, s.Close())
	setID(t, dir, "row number 7", n)
	s, err = Open(dir, nil)
	must(t, err)
	defer s.Close()
	if row, err := s.RowOf("row number 7"); !errors.Is(err, ErrCorrupt) {
		t.Errorf("row %d, %v", row, err)
	}
}

// setID changes the row of an id behind the store's seal.
func setID(t *testing.T, dir, id string, row uint64) {
	t.Helper()
	e, err := openEngine(vfs.Default, filepath.Join(dir, graphName), 1<<20, toWrite, nil)
	must(t, err)
	must(t, e.set(append([]byte{tagRowOfID}, id...), binary.LittleEndian.AppendUint64(nil, row)))
	must(t, e.close())
	sealAgain(t, dir)
}

// TestMarkOfUTF8: the mark that some editors begin a file with is no part of the first id.
func TestMarkOfUTF8(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	d := open(t, dir, tiny(3))
	path := filepath.Join(t.TempDir(), "ids")
	must(t, os.WriteFile(path, []byte("\ufeffanna\r\nberta\r\n\ufeffclara\r\n"), 0o666))
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	must(t, CheckIDs(f, path, 3))
	must(t, commitIDs(t, d, path, 3, nil))
	finish(t, d, 3, false)
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	for row, want := range []string{"anna", "berta", "\ufeffclara"} {
		if id, err := s.ID(Row(row)); err != nil || id != want {
			t.Errorf("row %d: %q %v, want %q", row, id, err, want)
		}
	}
}
