package rooted_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/store/internal/pebblefs"
	"github.com/knng/knng/store/internal/rooted"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestKinds: a link is never followed, neither out of the directory nor within it, neither
// at the end of a path nor on the way.
func TestKinds(t *testing.T) {
	out, dir := t.TempDir(), t.TempDir()
	for _, folder := range []string{out, dir} {
		must(t, os.WriteFile(filepath.Join(folder, "file"), []byte("text"), 0o666))
		must(t, os.Mkdir(filepath.Join(folder, "folder"), 0o777))
		must(t, os.WriteFile(filepath.Join(folder, "folder", "file"), []byte("text"), 0o666))
	}
	for name, to := range map[string]string{
		"out": filepath.Join(out, "file"), "within": "file", "way": filepath.Join(out, "folder"), "waywithin": "folder", "self": "self",
	} {
		must(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	d, err := rooted.Open(dir)
	must(t, err)
	defer d.Close()
	for name, sound := range map[string]bool{
		"file": true, "folder/file": true, "folder": false, "out": false, "within": false, "way/file": false, "waywithin/file": false, "self": false, "../file": false,
	} {
		for how, open := range map[string]func(string) (*os.File, error){"open": d.Open, "edit": d.Edit} {
			f, err := open(name)
			if (err == nil) != sound {
				t.Errorf("%s %s: %v", how, name, err)
			}
			if err == nil {
				f.Close()
			}
		}
	}
	if _, err := d.Open("nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	for _, name := range []string{"out", "within", "self"} { // made anew in place of the links
		f, err := pebblefs.Of(d).Create(filepath.Join(dir, name), vfs.WriteCategoryUnspecified)
		must(t, err)
		must(t, f.Close())
	}
	must(t, d.RemoveAll("way"))
	must(t, d.RemoveAll("waywithin"))
	for _, path := range []string{filepath.Join(out, "file"), filepath.Join(out, "folder", "file"), filepath.Join(dir, "file"), filepath.Join(dir, "folder", "file")} {
		if text, err := os.ReadFile(path); err != nil || string(text) != "text" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
}

// TestStays: the directory is the one that was opened, whatever its name means.
func TestStays(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a", "b"} {
		must(t, os.Mkdir(name, 0o777))
		must(t, os.WriteFile(filepath.Join(name, "file"), []byte(name), 0o666))
	}
	must(t, os.Symlink("a", "now"))
	d, err := rooted.Open("now")
	must(t, err)
	defer d.Close()
	must(t, os.Remove("now"))
	must(t, os.Symlink("b", "now"))
	must(t, os.Rename("a", "c"))
	must(t, os.Chdir(".."))
	if text, err := d.ReadFile("file", 1); err != nil || string(text) != "a" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := d.ReadFile("file", 0); !errors.Is(err, rooted.ErrKind) {
		t.Errorf("a file of one byte, of which none may be read: %v", err)
	}
}

// TestUnlocked: a lock goes with its closing, also where another process, forked meanwhile,
// still has a copy of the file.
func TestUnlocked(t *testing.T) {
	d, err := rooted.Open(t.TempDir())
	must(t, err)
	defer d.Close()
	lock := func() (*os.File, bool) {
		f, err := d.Edit("lock")
		must(t, err)
		ok, err := rooted.TryLock(f)
		must(t, err)
		return f, ok
	}
	held, ok := lock()
	if _, again := lock(); !ok || again {
		t.Fatalf("locked: %v, and again: %v", ok, again)
	}
	copied := copyOf(t, held)
	defer copied.Close()
	must(t, rooted.Locked{File: held}.Close())
	if _, ok := lock(); !ok {
		t.Error("locked still")
	}
}
