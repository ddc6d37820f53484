package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A build of some thousand rows takes less time than its syncs: 250 for 1,000 rows. So a build syncs nothing at
// first. A mark in its folder, which survives a crash, says so: a process that finds it begins anew. When the build
// has run for DraftOptions.Early, is closed, or is about to be sealed, all is synced and the mark removed; from then
// on it syncs as it goes.
//
//	mark, fsync of the folder     | a crash: the build begins anew, and loses less than Early
//	... nothing is synced ...     |
//	fsync of all files, folders   |
//	mark removed, fsync of folder | a crash: the build goes on
//
// A build that continues from an earlier process syncs from the start.

// Early is the time for which builds sync nothing. A second of work is cheap to repeat when one starts the command
// again anyway; and a longer build does not notice its syncs.
const Early = time.Second

// earlyName is the name of the mark. While it is there, other files may not hold what was written. Its text is the
// time at which the build was begun, from which its scratch folder elsewhere has its name.
const earlyName = graphName + ".early"

// early is a file system that puts syncs off while a build is early.
type early struct {
	vfs.FS
	dir  string
	ends time.Time

	mu     sync.RWMutex
	over   bool
	failed error // of the syncs that were put off; kept, since a second sync of a file does not report what the first one lost
}

// openEarly begins or wipes an early build in d's folder, and returns the state of that.
func (d *Draft) openEarly(state State, m *Manifest) (State, error) {
	marked, err := d.home.Exists(earlyName)
	if err != nil {
		return state, fmt.Errorf("store: %w", err)
	}
	if marked {
		if err := d.wipe(); err != nil {
			return state, err
		}
		state = Absent
	}
	if d.opts.Early <= 0 || state == Unfinished {
		if marked {
			return state, unmark(d.fs, d.dir)
		}
		return state, nil
	}
	f, err := d.fs.Create(filepath.Join(d.dir, earlyName), vfs.WriteCategoryUnspecified)
	if err != nil {
		return state, fmt.Errorf("store: %w", err)
	}
	_, err = f.Write([]byte(m.Created))
	if err = errors.Join(err, f.Close()); err != nil {
		return state, fmt.Errorf("store: %w", err)
	}
	if err := syncDir(d.fs, d.dir); err != nil {
		return state, err
	}
	d.early = &early{FS: d.fs, dir: d.dir, ends: time.Now().Add(d.opts.Early)}
	d.fs = d.early
	return state, nil
}

// wipe removes what an early build left, but for its mark.
func (d *Draft) wipe() error {
	if created, err := d.home.ReadFile(earlyName, 100); err == nil && d.opts.Scratch != "" && len(created) > 0 {
		_ = os.RemoveAll(d.scratch.path(string(created))) // derived files
	}
	for _, path := range []string{graphName, graphName + newSuffix, rowsPath, rowsPath + newSuffix, viewName, viewName + newSuffix,
		catalogName, catalogName + newSuffix, sealName + newSuffix} {
		if err := d.fs.RemoveAll(filepath.Join(d.dir, filepath.FromSlash(path))); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	return syncDir(d.fs, d.dir)
}

// unmark ends what the mark says.
func unmark(files vfs.FS, dir string) error {
	if err := files.Remove(filepath.Join(dir, earlyName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: %w", err)
	}
	return syncDir(files, dir)
}

// endEarly syncs what was put off, if anything was.
func (d *Draft) endEarly() error {
	if d.early == nil {
		return nil
	}
	return d.early.end()
}

// settled runs a sync, or puts it off.
func (e *early) settled(sync func() error) error {
	e.mu.RLock()
	over := e.over
	e.mu.RUnlock()
	if !over && time.Now().Before(e.ends) {
		return nil
	}
	if err := e.end(); err != nil {
		return err
	}
	return sync()
}

// end syncs everything; afterwards nothing is put off. Other syncs wait for it. If it fails, it fails from then on,
// and the mark stays.
func (e *early) end() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over || e.failed != nil {
		return e.failed
	}
	if err := e.syncAll(); err != nil {
		e.failed = fmt.Errorf("store: %w", err)
		return e.failed
	}
	if e.failed = unmark(e.FS, e.dir); e.failed != nil {
		return e.failed
	}
	e.over = true
	return nil
}

// syncers is how many files are synced side by side: a journal takes them together.
const syncers = 8

// syncAll syncs the files and folders of the store, some side by side.
func (e *early) syncAll() error {
	var all []string
	if err := e.walk(e.dir, &all); err != nil {
		return err
	}
	var group sync.WaitGroup
	errs := make([]error, min(syncers, len(all)))
	for i := range errs {
		group.Go(func() {
			for at := i; at < len(all) && errs[i] == nil; at += len(errs) {
				errs[i] = e.syncOne(all[at])
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// walk appends the paths of all files below a folder, and of the folders. Scratch files
// are derived.
func (e *early) walk(dir string, all *[]string) error {
	names, err := e.FS.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		path := e.FS.PathJoin(dir, name)
		info, err := e.FS.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // Pebble removes files at any time
		case err != nil:
			return err
		case !info.IsDir():
			*all = append(*all, path)
		case dir != e.dir || name == graphName || name == graphName+newSuffix || name == vectorsName:
			if err := e.walk(path, all); err != nil {
				return err
			}
		}
	}
	if dir != e.dir { // which unmark syncs
		*all = append(*all, dir+string(filepath.Separator))
	}
	return nil
}

// syncOne syncs a file, or a folder, whose path ends with a separator.
func (e *early) syncOne(path string) error {
	folder, isFolder := strings.CutSuffix(path, string(filepath.Separator))
	if isFolder {
		return syncDir(e.FS, folder)
	}
	f, err := e.FS.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// put wraps an open file.
func (e *early) put(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &earlyFile{f, e}, nil
}

func (e *early) OpenDir(name string) (vfs.File, error) { return e.put(e.FS.OpenDir(name)) }

// Names stay as they are while end goes through them: a file that got another one meanwhile
// would not be synced.

func (e *early) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.put(e.FS.Create(name, c))
}

func (e *early) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.put(e.FS.OpenReadWrite(name, c, opts...))
}

func (e *early) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.put(e.FS.ReuseForWrite(from, to, c))
}

func (e *early) Link(from, to string) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.FS.Link(from, to)
}

func (e *early) Rename(from, to string) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.FS.Rename(from, to)
}

func (e *early) MkdirAll(dir string, perm os.FileMode) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.FS.MkdirAll(dir, perm)
}

// Unwrap makes early a vfs.FS.
func (e *early) Unwrap() vfs.FS { return e.FS }

// earlyFile is a file or folder that is synced later.
type earlyFile struct {
	vfs.File
	e *early
}

func (f *earlyFile) Sync() error     { return f.e.settled(f.File.Sync) }
func (f *earlyFile) SyncData() error { return f.e.settled(f.File.SyncData) }

// SyncTo begins a sync, which Pebble does not rely on.
func (f *earlyFile) SyncTo(length int64) (full bool, err error) {
	err = f.e.settled(func() error {
		full, err = f.File.SyncTo(length)
		return err
	})
	return full, err
}
