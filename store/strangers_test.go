package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestStrangers: files of the user's that lie beside those of a store are not sealed with
// it: they may change and go, and a check names those that are there.
func TestStrangers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	d := open(t, dir, tiny(100))
	log := filepath.Join(dir, "build.log")
	must(t, os.WriteFile(log, []byte("begun"), 0o666))
	must(t, os.WriteFile(filepath.Join(dir, vectorsName+".txt"), nil, 0o666))
	finish(t, d, 100, false)
	must(t, os.WriteFile(log, []byte("begun\ndone"), 0o666))
	must(t, os.Remove(filepath.Join(dir, vectorsName+".txt")))
	report, err := Check(t.Context(), dir, CheckOptions{})
	if want := "build.log: not part of the sealed store"; err != nil || strings.Join(report.Faults, "\n") != want {
		t.Errorf("check says %q %v, want %q", report.Faults, err, want)
	}
	must(t, os.Remove(log))
	sound(t, dir)
}

// TestVectorsOfTheUser: a folder called vectors that is not a store's is the user's.
func TestVectorsOfTheUser(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, vectorsName)
	must(t, os.Mkdir(folder, 0o777))
	if state, err := StateOf(dir); state != Absent || err != nil {
		t.Errorf("an empty one: %s, %v", state, err)
	}
	must(t, os.WriteFile(filepath.Join(folder, "a.npy"), nil, 0o666))
	if _, err := OpenDraft(dir, tiny(100), nil); !errors.Is(err, ErrNotStore) {
		t.Errorf("one with a file: %v", err)
	}
}

// TestBadViewIsMadeAgain: a view that is damaged is an error that says what to do, and
// that helps; one of another version is none.
func TestBadViewIsMadeAgain(t *testing.T) {
	dir := finished(t, 120, false)
	path := filepath.Join(dir, viewName)
	sound, err := os.ReadFile(path)
	must(t, err)
	change := func(at int) {
		data := append([]byte(nil), sound...)
		data[at] ^= 0xff
		must(t, os.WriteFile(path, data, 0o666))
	}
	change(20)
	if _, err := Open(dir, nil); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "analyze --view") {
		t.Errorf("damaged: %v", err)
	}
	must(t, BuildView(t.Context(), dir))
	again, err := os.ReadFile(path)
	must(t, err)
	if string(again) != string(sound) {
		t.Error("made again it is another file")
	}
	change(8)
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	if s.Info().View {
		t.Error("a view of another version is used")
	}
	if list, err := s.Neighbors(5, nil); err != nil || len(list) != 2 {
		t.Errorf("row 5: %v %v", list, err)
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
		errors.New("checksum"): true, fs.ErrNotExist: true, syscall.EMFILE: false, syscall.EACCES: false, syscall.EIO: false,
	} {
		if got := errors.Is(damage(fmt.Errorf("read: %w", err)), ErrCorrupt); got != corrupt {
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
	must(t, seal(t.Context(), vfs.Default, dir))
}

// TestCheckFindsIDs: rows by ids that are not the ids by rows.
func TestCheckFindsIDs(t *testing.T) {
	for row, want := range map[uint64]string{8: `row 7 has id "row number 7", which is row 8's`, 5000: "is of row 5000 of 100"} {
		dir := finished(t, 100, true)
		setID(t, dir, "row number 7", row)
		report, err := Check(t.Context(), dir, CheckOptions{})
		if err != nil || !strings.Contains(strings.Join(report.Faults, "\n"), want) {
			t.Errorf("found %q %v, want %q", report.Faults, err, want)
		}
	}
}

// TestMarkOfUTF8: the mark that some editors begin a file with is no part of the first id.
func TestMarkOfUTF8(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	d := open(t, dir, tiny(3))
	path := filepath.Join(t.TempDir(), "ids")
	must(t, os.WriteFile(path, []byte("\ufeffanna\r\nberta\r\n\ufeffclara\r\n"), 0o666))
	must(t, CheckIDs(path, 3))
	must(t, d.CommitIDs(t.Context(), path, 3, nil))
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
