package living_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/search"
)

// TestReadOnlyFolder: a store that its user may not write to is read, with links or without, as it
// was built and after it was written to; it is refused for writing.
func TestReadOnlyFolder(t *testing.T) {
	for _, written := range []bool{false, true} {
		dir, rows := builtStore(t, 300, 4)
		must(t, errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(filepath.Dir(filepath.Dir(dir)), 0o755)))
		db := open(t, dir)
		if written {
			must(t, db.Update(func(tx *living.Tx) error { return second(tx.Put("a", rows[9])) }))
		}
		must(t, db.Close())
		for _, links := range []bool{true, false} {
			if !links {
				must(t, os.RemoveAll(filepath.Dir(search.Path(dir))))
			}
			protect(t, dir, 0o555, 0o444)
			asNobody(t, dir, func() { readOnly(t, dir, rows, written, links) })
			protect(t, dir, 0o755, 0o644)
		}
	}
}

func readOnly(t *testing.T, dir string, rows [][]float32, written, links bool) {
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o666); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("the folder is not protected: %v", err)
		return
	}
	v, err := living.OpenReader(dir, nil)
	if err != nil {
		t.Error(err)
		return
	}
	defer v.Close()
	want := 1
	if written {
		want = 2
	}
	found, err := v.Search(rows[9], living.Query{K: want})
	if err != nil || len(found) != want || found[want-1].Distance != 0 {
		t.Errorf("%v, %v, want %d rows at distance 0", found, err, want)
	}
	if st := v.Searcher().State(); st.Kept != links || st.Made == links || (st.Why == nil) != links {
		t.Errorf("links %v: %+v", links, st)
	}
	if again, err := v.Refresh(); err != nil || again.Len() != v.Len() || again.Close() != nil {
		t.Errorf("refreshed: %v", err)
	}
	if db, err := living.Open(dir, nil); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("opened for writing: %v", err)
		if err == nil {
			db.Close()
		}
	}
}

// protect sets the modes of all folders and files below a folder.
func protect(t *testing.T, dir string, folders, files fs.FileMode) {
	t.Helper()
	must(t, os.Chmod(dir, 0o755)) // so that it can be walked
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			return os.Chmod(path, folders)
		}
		return os.Chmod(path, files)
	}))
}

// asNobody runs fn on a thread that may not do on disk as root does, and skips the test where there
// is no such user, or where it cannot reach the folder.
func asNobody(t *testing.T, dir string, fn func()) {
	t.Helper()
	done, skip := make(chan bool), ""
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if os.Getuid() == 0 {
			const nobody = 65534
			syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0)
			if now, _, _ := syscall.RawSyscall(syscall.SYS_SETFSUID, ^uintptr(0), 0, 0); now != nobody {
				skip = "root cannot become nobody here"
				return
			}
		}
		if _, err := os.ReadDir(dir); err != nil {
			skip = "nobody cannot read the folder of tests: " + err.Error()
			return
		}
		fn()
	}()
	if <-done; skip != "" {
		protect(t, dir, 0o755, 0o644)
		t.Skip(skip)
	}
}
