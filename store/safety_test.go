package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/knng/knng/store/internal/lookup"
	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/vectors"
)

// everything is all that a store tells: lists by lookup and by iteration, in-neighbors, ids,
// order and vectors.
func everything(s *Store) (string, error) {
	var b strings.Builder
	for row := range s.Len() {
		ns, ks, err := s.Keyed(Row(row), nil, nil)
		if err != nil {
			return "", err
		}
		id, err := s.ID(Row(row))
		if err != nil {
			return "", err
		}
		back, err := s.RowOf(id)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&b, ns, ks, id, back)
	}
	for _, each := range []func(func(Row, []uint32, []float32) error) error{s.EachKeyed, s.EachIn} {
		if err := each(func(row Row, ns []uint32, ks []float32) error { fmt.Fprintln(&b, row, ns, ks); return nil }); err != nil {
			return "", err
		}
	}
	in, order, err := s.Vectors()
	if err != nil {
		return "", err
	}
	defer in.Close()
	rows := make([]byte, in.Len()*in.Dim()*in.Type().Size())
	err = in.ReadRows(0, rows)
	fmt.Fprintln(&b, order, rows)
	return b.String(), err
}

// toldBy opens a store and asks for everything. It fails the test where that takes long.
func toldBy(t *testing.T, dir string) (told string, err error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		s, err := Open(dir, nil)
		if err == nil {
			told, err = everything(s)
			err = errors.Join(err, s.Close())
		}
		done <- err
	}()
	select {
	case err = <-done:
		return told, err
	case <-time.After(time.Minute):
		t.Fatal("it hangs")
		return "", nil
	}
}

// complete is a finished store with all that one can have. The keys of row odd are others.
func complete(t testing.TB, n int, odd int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "s")
	d := open(t, dir, tiny(n))
	w, err := d.CreateRows(n, 2, vectors.Uint8)
	must(t, err)
	order := make([]uint32, n)
	for place := range order {
		order[place] = uint32(n - 1 - place)
		_, err := w.Write([]byte{byte(order[place]), byte(odd)})
		must(t, err)
	}
	must(t, w.Commit())
	must(t, d.CommitOrder(order))
	ids := filepath.Join(t.TempDir(), "ids")
	var text bytes.Buffer
	for row := range n {
		fmt.Fprintf(&text, "row %d of %d\n", row, odd)
	}
	must(t, os.WriteFile(ids, text.Bytes(), 0o666))
	must(t, commitIDs(t, d, ids, n, nil))
	must(t, d.CommitAdjacency(2, func(add func([]uint32, []float32) error) error {
		for row := range n {
			ns, ks := line(n, row)
			if row == odd {
				ks = []float32{ks[0] + 0.25, ks[1] + 0.5}
			}
			if err := add(ns, ks); err != nil {
				return err
			}
		}
		return nil
	}))
	sum, err := d.Checksum(t.Context())
	must(t, err)
	must(t, d.Seal(t.Context(), map[string]string{"checksum": sum}))
	_, err = BuildReverse(t.Context(), dir, nil)
	must(t, err)
	return dir
}

// filesOf are the files of a store that readers open.
func filesOf(t testing.TB, dir string) (rels []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if !strings.HasPrefix(rel, scratchName) {
			rels = append(rels, filepath.ToSlash(rel))
		}
		return err
	}))
	return rels
}

// A spoiler does something to one file of a store; other is a store of the same shape.
type spoiler struct {
	name  string
	spoil func(t *testing.T, path, same string)
}

var spoilers = []spoiler{
	{"gone", func(t *testing.T, path, _ string) { must(t, os.Remove(path)) }},
	{"a folder", func(t *testing.T, path, _ string) { must(t, os.Remove(path)); must(t, os.Mkdir(path, 0o777)) }},
	{"a link to itself", func(t *testing.T, path, _ string) {
		must(t, os.Remove(path))
		must(t, os.Symlink(filepath.Base(path), path))
	}},
	{"a link to the same", func(t *testing.T, path, _ string) {
		to := filepath.Join(t.TempDir(), "elsewhere")
		must(t, os.Rename(path, to))
		must(t, os.Symlink(to, path))
	}},
	{"a link within", func(t *testing.T, path, _ string) {
		must(t, os.Rename(path, path+"-elsewhere"))
		must(t, os.Symlink(filepath.Base(path)+"-elsewhere", path))
	}},
	{"cut", func(t *testing.T, path, _ string) {
		info, err := os.Stat(path)
		must(t, err)
		must(t, os.Truncate(path, info.Size()/2))
	}},
	{"longer", func(t *testing.T, path, _ string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		must(t, err)
		_, err = f.Write([]byte{0})
		must(t, errors.Join(err, f.Close()))
	}},
	{"flipped", func(t *testing.T, path, _ string) {
		data, err := os.ReadFile(path)
		must(t, err)
		if len(data) > 0 {
			data[len(data)/2] ^= 8
		}
		must(t, os.WriteFile(path, data, 0o666))
	}},
	{"another store's", func(t *testing.T, path, same string) {
		data, err := os.ReadFile(same)
		if err != nil {
			data = nil // the other has none
		}
		must(t, os.WriteFile(path, data, 0o666))
	}},
}

// TestEveryFileSpoiled: whatever is done to a file of a store, it answers as it did or says
// what is wrong, and a check finds what was done.
func TestEveryFileSpoiled(t *testing.T) {
	const n = 100
	dir, other := complete(t, n, 41), complete(t, n, 57)
	want, err := toldBy(t, dir)
	must(t, err)
	whole, err := Check(t.Context(), dir, CheckOptions{})
	must(t, err)
	for _, rel := range filesOf(t, dir) {
		for _, s := range slices.Concat(spoilers, unixSpoilers) {
			spoiled := filepath.Join(t.TempDir(), "s")
			must(t, os.CopyFS(spoiled, os.DirFS(dir)))
			path := filepath.Join(spoiled, rel)
			before, err := os.ReadFile(path)
			must(t, err)
			s.spoil(t, path, filepath.Join(other, rel))
			if told, err := toldBy(t, spoiled); err == nil && told != want {
				t.Errorf("%s %s: other answers, and no error", rel, s.name)
			}
			if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
				if after, err := os.ReadFile(path); err == nil && bytes.Equal(before, after) {
					continue // nothing was done
				}
			}
			report, err := Check(t.Context(), spoiled, CheckOptions{})
			mayGo := s.name == "gone" && slices.Contains([]string{viewName, catalogName}, filepath.Base(rel))
			if err == nil && !mayGo && slices.Equal(report.Faults, whole.Faults) {
				t.Errorf("%s %s: a check finds nothing", rel, s.name)
			}
		}
	}
}

// TestLargeTableOfAnotherStore: tables too large to be hashed when they are opened, which
// differ in one list far from their ends.
func TestLargeTableOfAnotherStore(t *testing.T) {
	const n = 70_000
	dir, other := complete(t, n, n/2), complete(t, n, n/2+100)
	swapped := 0
	for _, rel := range filesOf(t, dir) {
		path, same := filepath.Join(dir, rel), filepath.Join(other, rel)
		a, err := os.ReadFile(path)
		must(t, err)
		b, err := os.ReadFile(same)
		if err != nil || len(a) != len(b) || len(a) <= sealed.HashedBytes || bytes.Equal(a, b) || !strings.HasPrefix(rel, graphName) {
			continue
		}
		swapped++
		must(t, os.WriteFile(path, b, 0o666))
		if s, err := Open(dir, nil); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), filepath.Base(rel)) {
			t.Errorf("%s of another store: %v", rel, err)
			if err == nil {
				s.Close()
			}
		}
		must(t, os.WriteFile(path, a, 0o666))
	}
	if swapped == 0 {
		t.Error("no table was large and of the same size")
	}
}

// TestStrayFiles: files that the seal does not list are not opened, whatever they are called.
func TestStrayFiles(t *testing.T) {
	const n = 100
	dir, other := complete(t, n, 41), complete(t, n, 57)
	want, err := toldBy(t, dir)
	must(t, err)
	setRecordUnsealed(t, filepath.Join(other, graphName), "result", map[string]string{"checksum": "other"})
	for _, rel := range filesOf(t, other) { // a database that was written to, with its logs
		path := filepath.Join(dir, rel)
		if _, err := os.Lstat(path); err == nil || filepath.Dir(rel) != graphName {
			continue
		}
		data, err := os.ReadFile(filepath.Join(other, rel))
		must(t, err)
		must(t, os.WriteFile(path, data, 0o666))
		if told, err := toldBy(t, dir); err != nil || told != want {
			t.Errorf("with %s: other answers, or %v", rel, err)
		}
		report, err := Check(t.Context(), dir, CheckOptions{})
		must(t, err)
		if !slices.Contains(report.Faults, rel+": not part of the sealed store") {
			t.Errorf("a check of a store with %s says %q", rel, report.Faults)
		}
		must(t, os.Remove(path))
	}
}

// TestOpenStoreStays: an open store answers as before, whatever its name comes to mean.
func TestOpenStoreStays(t *testing.T) {
	const n = 100
	dir, other := complete(t, n, 41), complete(t, n, 57)
	want, err := toldBy(t, dir)
	must(t, err)
	folder := t.TempDir()
	t.Chdir(folder)
	must(t, os.CopyFS("a", os.DirFS(dir)))
	must(t, os.CopyFS("b", os.DirFS(other)))
	must(t, os.Symlink("a", "now"))
	s, err := Open("now", nil)
	must(t, err)
	defer s.Close()
	for _, change := range []struct {
		name string
		do   func() error
	}{
		{"the link shows another", func() error { return errors.Join(os.Remove("now"), os.Symlink("b", "now")) }},
		{"the folders change places", func() error { return errors.Join(os.Rename("a", "c"), os.Rename("b", "a")) }},
		{"the process goes", func() error { return os.Chdir(string(filepath.Separator)) }},
	} {
		must(t, change.do())
		if told, err := everything(s); err != nil || told != want {
			t.Errorf("%s: other answers, or %v", change.name, err)
		}
	}
}

// tree is all below a folder, with sizes and times.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.ModTime())
		}
		return err
	}))
	return b.String()
}

// interrupted is a build that goes on some other day.
func interrupted(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "s")
	d := open(t, dir, tiny(100))
	for unit := range uint32(3) {
		l := Lists{}
		l.Append(unit, []uint32{unit + 1}, []float32{1})
		must(t, d.CommitUnit(1, unit, []Lists{l}, nil))
	}
	must(t, d.Close())
	return dir
}

// TestFoldersInADatabase: a build does not go on where a folder has the name of a file of its
// database, markers among them, of which only the names are read.
func TestFoldersInADatabase(t *testing.T) {
	folder, markers := spoilers[1], 0
	for _, rel := range filesOf(t, interrupted(t)) {
		if filepath.Dir(rel) != graphName {
			continue
		}
		if strings.HasPrefix(filepath.Base(rel), "marker.") {
			markers++
		}
		dir := interrupted(t)
		folder.spoil(t, filepath.Join(dir, rel), "")
		d, err := OpenDraft(dir, tiny(100), nil)
		if err == nil {
			t.Errorf("%s is a folder, and the build goes on", rel)
			must(t, d.Close())
		}
	}
	if markers < 2 {
		t.Errorf("%d markers", markers)
	}
}

// TestReadersWriteNothing: neither into a build nor into a finished store.
func TestReadersWriteNothing(t *testing.T) {
	for _, dir := range []string{interrupted(t), complete(t, 100, 41)} {
		for _, lock := range []bool{true, false} {
			if !lock {
				must(t, os.RemoveAll(filepath.Join(dir, scratchName)))
			}
			before := tree(t, dir)
			must(t, Dump(t.Context(), dir, new(strings.Builder), ""))
			state, err := StateOf(dir)
			must(t, err)
			if state == Unfinished {
				_, err = ProgressOf(dir)
			} else {
				_, err = toldBy(t, dir)
			}
			must(t, err)
			if _, err := Check(t.Context(), dir, CheckOptions{}); err != nil && !errors.Is(err, ErrNotFinished) {
				t.Error(err)
			}
			if after := tree(t, dir); after != before {
				t.Errorf("lock %v: before\n%safter\n%s", lock, before, after)
			}
		}
	}
}

// TestLinksLeadNowhere: of a stranger's store no file outside is opened, made longer or
// shorter, or removed, whatever is a link to it.
func TestLinksLeadNowhere(t *testing.T) {
	victims := t.TempDir()
	file, folder := filepath.Join(victims, "file"), filepath.Join(victims, "folder")
	must(t, os.WriteFile(file, []byte("precious"), 0o666))
	must(t, os.Mkdir(folder, 0o777))
	must(t, os.WriteFile(filepath.Join(folder, "lock"), []byte("precious"), 0o666))
	must(t, os.WriteFile(filepath.Join(folder, "ids-sorted"), []byte("precious"), 0o666))
	before := tree(t, victims)
	names := []string{"scratch/lock", "scratch/ids-sorted", "scratch", "view", "view.new", "SEAL.new", "graph.new", "reverse", "reverse.new",
		"vectors", "vectors/rows", "vectors/rows.new", "graph", "graph/tables", "graph/LOCK", "graph/written", "graph/written.new", "graph/000099.log"}
	for _, name := range names {
		for _, to := range []string{file, folder} {
			for _, dir := range []string{interrupted(t), complete(t, 100, 41)} {
				path := filepath.Join(dir, name)
				must(t, os.RemoveAll(path))
				must(t, os.MkdirAll(filepath.Dir(path), 0o777))
				must(t, os.Symlink(to, path))
				everyCommand(dir)
				if after := tree(t, victims); after != before {
					t.Fatalf("%s is a link to %s: before\n%safter\n%s", name, to, before, after)
				}
			}
		}
	}
}

// everyCommand does to a store all that can be done; it may fail.
func everyCommand(dir string) {
	ctx := context.Background()
	if s, err := Open(dir, nil); err == nil {
		everything(s)
		s.Close()
	}
	ProgressOf(dir)
	Dump(ctx, dir, new(strings.Builder), "")
	Check(ctx, dir, CheckOptions{})
	BuildView(ctx, dir)
	BuildReverse(ctx, dir, nil)
	if d, err := OpenDraft(dir, tiny(100), nil); err == nil {
		if w, err := d.CreateRows(1, 2, vectors.Uint8); err == nil {
			w.Write([]byte{1, 2})
			w.Commit()
		}
		d.ScratchDir()
		d.CommitOrder([]uint32{0})
		d.CommitAdjacency(0, func(add func([]uint32, []float32) error) error { return add(nil, nil) })
		d.Seal(ctx, map[string]string{"checksum": "none"})
		d.Close()
	}
}

// TestReferenceIsNotUnpacked: what the store of a stranger names is mapped where it lies, or
// not read.
func TestReferenceIsNotUnpacked(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	packed := filepath.Join(t.TempDir(), "bomb.npy.gz")
	must(t, os.WriteFile(packed, bytes.Repeat([]byte{0}, 100), 0o666))
	for _, path := range []string{packed, "-"} {
		if _, err := lookup.ReferencedRows(nil, []vectors.File{{Path: path, Rows: 3, Size: 100}}); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if left := tree(t, temp); strings.Count(left, "\n") != 1 {
		t.Errorf("there is %s", left)
	}
}

// TestRecordsAreBounded: one that would take much memory is refused before it is read.
func TestRecordsAreBounded(t *testing.T) {
	dir := finished(t, 100, false)
	setRecord(t, filepath.Join(dir, graphName), "result", strings.Repeat("bomb", recordsBytes/4))
	if s, err := Open(dir, nil); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "records") {
		t.Errorf("error %v", err)
		if err == nil {
			s.Close()
		}
	}
}

// partBuilt is a build of which some units are done, whose lists have a key of their own.
func partBuilt(t *testing.T, key float32) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "s")
	d := open(t, dir, tiny(3000))
	d.logged.Store(loggedBytes) // so that units are tables
	for unit := range uint32(3) {
		l := Lists{}
		for place := range uint32(1000) {
			l.Append(place, []uint32{place + unit + 1}, []float32{key})
		}
		must(t, d.CommitUnit(1, unit, []Lists{l}, nil))
	}
	must(t, d.Close())
	return dir
}

// TestTablesOfAnotherBuild: a table of an unfinished build in whose place another's stands,
// or that is cut or longer, is noticed before the build goes on, and by those who look at it.
func TestTablesOfAnotherBuild(t *testing.T) {
	dir, other := partBuilt(t, 1), partBuilt(t, 2)
	swapped := 0
	for _, rel := range filesOf(t, dir) {
		path := filepath.Join(dir, rel)
		before, err := os.ReadFile(path)
		must(t, err)
		theirs, err := os.ReadFile(filepath.Join(other, rel))
		if filepath.Ext(rel) != ".sst" || err != nil || bytes.Equal(before, theirs) {
			continue
		}
		swapped++
		for name, data := range map[string][]byte{
			"of another build": theirs, "cut": before[:len(before)-100], "cut to nothing": nil, "longer": append(bytes.Clone(before), 0),
		} {
			must(t, os.WriteFile(path, data, 0o666))
			if d, err := OpenDraft(dir, tiny(3000), nil); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), filepath.Base(rel)) {
				t.Errorf("%s, %s: %v", rel, name, err)
				if err == nil {
					must(t, d.Close())
				}
			}
			if _, err := ProgressOf(dir); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s, %s: a reader: %v", rel, name, err)
			}
			must(t, os.WriteFile(path, before, 0o666))
		}
	}
	if swapped < 3 {
		t.Errorf("%d tables were there to be swapped", swapped)
	}
	d := open(t, dir, tiny(3000))
	must(t, d.Close())
}
