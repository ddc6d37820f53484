package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestDiscardLeavesNothing: a build that is discarded leaves no folder of its own, and no scratch
// elsewhere; one that was there stays, without anything of the build, and so do others' files.
func TestDiscardLeavesNothing(t *testing.T) {
	for _, early := range []time.Duration{0, time.Minute} {
		top := t.TempDir()
		dir, elsewhere := filepath.Join(top, "g"), filepath.Join(top, "scratch")
		discard := func() {
			t.Helper()
			d, err := OpenDraft(dir, tiny(100), &DraftOptions{Early: early, Scratch: elsewhere})
			must(t, err)
			_, err = d.ScratchDir()
			must(t, err)
			must(t, d.Discard())
			if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
				t.Errorf("scratch files of a build that was discarded: %v, %v", left, err)
			}
		}
		discard()
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", dir, err)
		}
		must(t, os.Mkdir(dir, 0o777))
		discard()
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left in a folder that was there: %v, %v", left, err)
		}
		mine := filepath.Join(dir, scratchName, "mine")
		must(t, errors.Join(os.Mkdir(filepath.Dir(mine), 0o777), os.WriteFile(mine, nil, 0o666)))
		discard()
		if _, err := os.Stat(mine); err != nil {
			t.Error(err)
		}
		finish(t, open(t, dir, tiny(100)), 100, false)
	}
}

// TestLockOfDiscarded: a build that waited for the lock of one that was then discarded does not take a
// lock whose file is gone, which would not keep the next one away.
func TestLockOfDiscarded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g")
	d := open(t, dir, tiny(100))
	f, err := d.home.Edit(lockName)
	must(t, err)
	defer f.Close()
	must(t, stillThere(d.home, f))
	home, err := openHome(dir)
	must(t, err)
	defer home.Close()
	must(t, d.Discard())
	if err := stillThere(home, f); !errors.Is(err, ErrLocked) {
		t.Errorf("%v, want ErrLocked", err)
	}
}
