package aside

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFreshLeavesTargets: a link in place of a file that is to be made is replaced, and the
// file that it leads to keeps its content; a folder is an error.
func TestFreshLeavesTargets(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	for name, make := range map[string]func(path string) (*os.File, error){
		"fresh": Fresh,
		"over": func(path string) (*os.File, error) {
			if err := os.Rename(path, path+".tmp"); err != nil {
				return nil, err
			}
			f, err := Over(path)
			if err != nil {
				return nil, err
			}
			return f.File, f.Commit()
		},
	} {
		if err := os.WriteFile(victim, []byte("precious"), 0o666); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.Symlink(victim, path); err != nil {
			t.Skipf("no links here: %v", err)
		}
		f, err := make(path)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if got, err := os.ReadFile(victim); err != nil || string(got) != "precious" {
			t.Errorf("%s: the file behind a link became %q, %v", name, got, err)
		}
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s: %v, %v; want a file", name, info, err)
		}
	}
	full := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(full, "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if f, err := Fresh(full); err == nil {
		f.Close()
		t.Error("a folder was replaced")
	}
}
