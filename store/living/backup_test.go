package living_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

// A countdown is a context that is cancelled when it was asked so many times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestBackupStops: a backup that is stopped leaves nothing, and what a process that ended leaves is no store: one
// whose seal is missing. A folder that is there stays as it is.
func TestBackupStops(t *testing.T) {
	for _, compacted := range []bool{false, true} {
		dir, rows := builtStore(t, 60, 4)
		db := open(t, dir)
		must(t, db.Update(func(tx *living.Tx) error { return second(tx.Put("a", rows[9])) }))
		if compacted {
			compact(t, db, 0)
			must(t, db.Update(func(tx *living.Tx) error { return tx.Delete("a") }))
		}
		v := view(t, db)
		must(t, db.Close())
		to := filepath.Join(t.TempDir(), "copy")
		n := 0
		for ; ; n++ {
			err := v.Backup(&countdown{t.Context(), n}, to)
			if err == nil {
				break
			}
			if _, there := os.Lstat(to); !errors.Is(err, context.Canceled) || !errors.Is(there, fs.ErrNotExist) {
				t.Fatalf("stopped at %d: %v, and the folder: %v", n, err, there)
			}
		}
		if n < 3 {
			t.Errorf("only %d steps could be stopped", n)
		}
		if err := v.Backup(t.Context(), to); !errors.Is(err, fs.ErrExist) {
			t.Errorf("into a folder that is there: %v", err)
		}
		whole, err := living.OpenReader(to, nil)
		must(t, err)
		if whole.Len() != v.Len() || whole.State().Ops != v.State().Ops {
			t.Errorf("%+v, want %+v", whole.State(), v.State())
		}
		base := whole.State().Base
		must(t, whole.Close())
		must(t, os.Remove(filepath.Join(base, "SEAL")))
		for _, write := range []bool{false, true} {
			if v, err := viewOf(to, write); err == nil {
				t.Errorf("a copy without its seal has %d rows", v.Len())
			}
		}
	}
}

// TestBackupAnew: a backup begins anew in the folder that one of the same store left when its process ended, whatever it had
// written; not while another fills it, not in that of another store, and not where the folder is a store.
func TestBackupAnew(t *testing.T) {
	for _, base := range []string{"built", "compacted", "none"} {
		var dir string
		var db *living.DB
		if base == "none" {
			dir, db = created(t, living.Shape{Dim: 4})
		} else {
			dir, _ = builtStore(t, 60, 4)
			db = open(t, dir)
		}
		must(t, db.Update(func(tx *living.Tx) error { return second(tx.Put("a", []float32{1, 2, 3, 4})) }))
		if base == "compacted" {
			compact(t, db, 0)
		}
		v := view(t, db)
		other := filepath.Join(t.TempDir(), "other")
		must(t, v.Backup(t.Context(), other))
		left := filepath.Join(t.TempDir(), "left")
		note := filepath.Join(left, "living", "backup")
		must(t, os.CopyFS(left, os.DirFS(dir)))
		for _, name := range []string{"SEAL", "living/CURRENT", "scratch"} {
			must(t, os.RemoveAll(filepath.Join(left, filepath.FromSlash(name))))
		}
		must(t, os.WriteFile(filepath.Join(left, "living", "log-000077"), []byte("cut"), 0o666))
		if err := v.Backup(t.Context(), left); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: without the note: %v", base, err)
		}
		must(t, os.WriteFile(note, []byte(`{"of":"`+filepath.ToSlash(dir)+`"}`), 0o666))
		if err := reader(t, other).Backup(t.Context(), left); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: of another store: %v", base, err)
		}
		f, err := os.Open(note)
		must(t, err)
		if ok, err := rooted.TryLock(f); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if err := v.Backup(t.Context(), left); !errors.Is(err, living.ErrLocked) {
			t.Errorf("%s: while another fills it: %v", base, err)
		}
		must(t, f.Close())
		must(t, v.Backup(t.Context(), left))
		names := func(dir string) (all []string) {
			must(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
				all = append(all, path[len(dir):])
				return err
			}))
			return all
		}
		if !slices.Equal(names(left), names(other)) {
			t.Errorf("%s: %v, want %v", base, names(left), names(other))
		}
		if b := reader(t, left); b.Len() != v.Len() {
			t.Errorf("%s: %d rows, want %d", base, b.Len(), v.Len())
		}
		must(t, os.WriteFile(note, []byte(`{"of":"`+filepath.ToSlash(dir)+`"}`), 0o666))
		if err := v.Backup(t.Context(), left); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: over a whole one: %v", base, err)
		}
		must(t, open(t, left).Close())
		if _, err := os.Lstat(note); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the note stays: %v", base, err)
		}
	}
}

// TestBackupLocks: readers of a store lock no backup of it, which another process may compact, nor the
// other way round.
func TestBackupLocks(t *testing.T) {
	dir, _ := builtStore(t, 60, 4)
	v := reader(t, dir)
	to := filepath.Join(t.TempDir(), "copy")
	must(t, v.Backup(t.Context(), to))
	seal, err := os.Open(filepath.Join(to, "SEAL"))
	must(t, err)
	defer seal.Close()
	if ok, err := rooted.TryLock(seal); err != nil || !ok {
		t.Errorf("the base of a backup is held by readers of the store: %v", err)
	}
	again, err := living.OpenReader(dir, nil)
	must(t, err)
	must(t, again.Close())
}

// TestBackupWhole: a backup of a store that lost any file that its seal names is an error.
func TestBackupWhole(t *testing.T) {
	dir, _ := builtStore(t, 60, 4)
	v := reader(t, dir)
	for _, f := range v.Base().Info().Files {
		from, to := filepath.Join(dir, filepath.FromSlash(f.Path)), filepath.Join(t.TempDir(), "copy")
		must(t, os.Rename(from, from+".lost"))
		if err := v.Backup(t.Context(), to); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without %s: %v", f.Path, err)
		}
		must(t, os.Rename(from+".lost", from))
	}
	must(t, v.Backup(t.Context(), filepath.Join(t.TempDir(), "copy")))
}

// TestBackupTakesSearch: a backup of a graph that was written to has the files of search of its base, the copy of the rows among
// them, and makes none again.
func TestBackupTakesSearch(t *testing.T) {
	const n, dim = 3000, 8
	rng := rand.New(rand.NewPCG(3, 5))
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = float32(i/dim*7%10) + rng.Float32()
	}
	in, err := vectors.FromFloat32(data, dim)
	must(t, err)
	dir := filepath.Join(t.TempDir(), "g")
	_, err = builder.Build(t.Context(), dir, vectors.NewInput(in), builder.Options{K: 6, Method: builder.Parts})
	must(t, err)
	o := &search.Options{Budget: 14 * n}
	db, err := living.Open(dir, &living.Options{Search: o})
	must(t, err)
	defer db.Close()
	must(t, db.Update(func(tx *living.Tx) error { return second(tx.Put("a", data[:dim])) }))
	v := view(t, db)
	to := filepath.Join(t.TempDir(), "copy")
	must(t, v.Backup(t.Context(), to))
	for _, path := range []func(string) string{search.Path, search.CodesPath, search.RowsPath} {
		want, err := os.ReadFile(path(dir))
		must(t, err)
		if got, err := os.ReadFile(path(to)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not that of the store: %v", path(to), err)
		}
	}
	g, err := store.Open(to, &store.Options{AsBuilt: true})
	must(t, err)
	defer g.Close()
	must(t, search.Check(t.Context(), g))
	s, err := search.Open(g, o)
	must(t, err)
	defer s.Close()
	if state := s.State(); state.Made || state.CodesFrom.Made || state.RowsFrom.Made || !state.RowsFrom.Kept {
		t.Errorf("made again: %+v", state)
	}
}
