package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

// TestDerivedOfOtherKinds: a check names what stands in the place of a derived file and is
// none.
func TestDerivedOfOtherKinds(t *testing.T) {
	from := finished(t, 60, false)
	for _, name := range []string{DerivedLinks, DerivedMap} {
		for _, s := range append([]spoiler{spoilers[1], spoilers[2], {"a link out", linkOut}}, unixSpoilers...) {
			dir, g := opened(t, from)
			must(t, keep(g, name, "ours"))
			sound(t, dir)
			s.spoil(t, filepath.Join(dir, filepath.FromSlash(name)), filepath.Join(t.TempDir(), "outside"))
			report, err := Check(t.Context(), dir, CheckOptions{})
			if want := name + ": not part of the sealed store"; err != nil || strings.Join(report.Faults, "\n") != want {
				t.Errorf("%s %s: check says %q %v, want %q", name, s.name, report.Faults, err, want)
			}
		}
	}
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
