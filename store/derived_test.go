package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"
)

// keep keeps text under a name; it reads what is kept.
func keep(s *Store, name, text string) error {
	d, err := s.MakeDerived(name)
	if err != nil {
		return err
	}
	defer d.Abort()
	if _, err := d.WriteString(text); err != nil {
		return err
	}
	return d.Commit()
}

func kept(s *Store, name string) (string, error) {
	f, err := s.OpenDerived(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	return string(text), err
}

// opened is a store in a folder of its own.
func opened(t *testing.T, from string) (dir string, s *Store) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "s")
	must(t, os.CopyFS(dir, os.DirFS(from)))
	s, err := Open(dir, nil)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return dir, s
}

// TestDerivedStaysWithin: whatever stands where a derived file is to be, what is read is
// what was kept, and what is written stands in the store: nothing outside is read or
// changed, and nothing waits.
func TestDerivedStaysWithin(t *testing.T) {
	from := finished(t, 60, false)
	for _, name := range []string{DerivedLinks, DerivedRows, DerivedMap, derivedMoved} {
		t.Run(path.Base(name), func(t *testing.T) { staysWithin(t, from, name) })
	}
}

func staysWithin(t *testing.T, from, name string) {
	for _, s := range append([]spoiler{{"nothing", func(*testing.T, string, string) {}}, {"a link out", linkOut}, {"a folder in its place that is a link", folderOut}, {"a folder", spoilers[1].spoil}, {"a link to itself", spoilers[2].spoil}}, unixSpoilers...) {
		dir, g := opened(t, from)
		must(t, keep(g, name, "ours"))
		outside := filepath.Join(t.TempDir(), "outside")
		must(t, os.Mkdir(outside, 0o777))
		theirs := filepath.Join(outside, path.Base(name))
		must(t, os.WriteFile(theirs, []byte("theirs"), 0o666))
		s.spoil(t, filepath.Join(dir, filepath.FromSlash(name)), theirs)
		if text, err := kept(g, name); (err == nil) != (text == "ours") {
			t.Errorf("%s: %q was read, error %v", s.name, text, err)
		}
		if err := keep(g, name, "again"); err == nil {
			if text, err := kept(g, name); text != "again" || err != nil {
				t.Errorf("%s: %q is kept, error %v", s.name, text, err)
			}
		}
		if text, err := os.ReadFile(theirs); string(text) != "theirs" || err != nil {
			t.Errorf("%s: the file outside holds %q, error %v", s.name, text, err)
		}
		if names, err := os.ReadDir(outside); len(names) != 1 || err != nil {
			t.Errorf("%s: outside are %v, error %v", s.name, names, err)
		}
	}
}

// linkOut puts a link to a file outside in the place of a file.
func linkOut(t *testing.T, path, outside string) {
	must(t, os.Remove(path))
	must(t, os.Symlink(outside, path))
}

// folderOut puts a link to a folder outside in the place of the file's own, where it has one
// within the store.
func folderOut(t *testing.T, path, outside string) {
	folder := filepath.Dir(path)
	if filepath.Base(folder) == "s" {
		return
	}
	must(t, os.RemoveAll(folder))
	must(t, os.Symlink(filepath.Dir(outside), folder))
}

// TestDerivedOfTheOpened: an open store keeps its own, whatever its name comes to mean.
func TestDerivedOfTheOpened(t *testing.T) {
	from := finished(t, 60, false)
	dir, g := opened(t, from)
	moved := filepath.Join(filepath.Dir(dir), "moved")
	must(t, os.Rename(dir, moved))
	must(t, os.CopyFS(dir, os.DirFS(from)))
	for _, name := range []string{DerivedLinks, DerivedRows, DerivedMap, derivedMoved} {
		must(t, keep(g, name, name))
		if text, err := kept(g, name); text != name || err != nil {
			t.Errorf("%s: %q, error %v", name, text, err)
		}
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s stands in the store of the same name: %v", name, err)
		}
	}
	if _, err := g.OpenDerived(rowsPath); !errors.Is(err, errNotDerived) {
		t.Errorf("rows as a derived file: %v", err)
	}
	if _, err := g.MakeDerived(sealName); !errors.Is(err, errNotDerived) {
		t.Errorf("a seal as a derived file: %v", err)
	}
	sound(t, moved)
}

// TestScratchOf: no folder of scratch files that leads elsewhere is written to.
func TestScratchOf(t *testing.T) {
	dir := t.TempDir()
	if _, err := ScratchOf(dir); err != nil {
		t.Error(err)
	}
	must(t, os.Symlink(t.TempDir(), filepath.Join(dir, scratchName)))
	if _, err := ScratchOf(dir); !errors.Is(err, ErrNotStore) {
		t.Errorf("a link: %v", err)
	}
}
