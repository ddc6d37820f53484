package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A publication is a flat file being written: aside, under its name with
// newSuffix, and renamed when it is whole and on disk.
type publication struct {
	fs   vfs.FS
	path string
	file vfs.File // nil once closed
}

// A behindFile is a file that is on its way to the disk while the rest of it is made, so that a sync waits for little.
type behindFile struct {
	vfs.File
	written, begun int64 // bytes, and how many of them the disk was told of
}

// behind is of how many bytes the disk is told at a time. Fewer would only cost calls.
const behind = 1 << 20

func (f *behindFile) Write(data []byte) (int, error) {
	n, err := f.File.Write(data)
	f.written += int64(n)
	if fd := f.Fd(); fd != vfs.InvalidFd && f.written-f.begun >= behind {
		writeBehind(fd, f.begun, f.written-f.begun)
		f.begun = f.written
	}
	return n, err
}

// newPublication begins a file, and its folder where there is none.
func newPublication(fs vfs.FS, path string) (*publication, error) {
	if err := makeFolder(fs, filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := fs.Create(path+newSuffix, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return &publication{fs: fs, path: path, file: &behindFile{File: f}}, nil
}

// Write appends to the file.
func (p *publication) Write(data []byte) (int, error) {
	n, err := p.file.Write(data)
	if err != nil {
		err = fmt.Errorf("store: %w", err)
	}
	return n, err
}

// Commit syncs the file, renames it, and syncs the folder.
func (p *publication) Commit() error {
	err := p.file.Sync()
	if err = errors.Join(err, p.file.Close()); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	p.file = nil
	if err := p.fs.Rename(p.path+newSuffix, p.path); err != nil {
		return fmt.Errorf("store: %w", errors.Join(err, p.fs.Remove(p.path+newSuffix)))
	}
	return syncDir(p.fs, filepath.Dir(p.path))
}

// Abort removes the unfinished file; after Commit it does nothing.
func (p *publication) Abort() error {
	if p.file == nil {
		return nil
	}
	p.file.Close()
	p.file = nil
	return p.fs.Remove(p.path + newSuffix)
}

// makeFolder makes a folder and those above it that are not there, with names that outlive
// a crash, but for one in a folder that may be written and not read.
func makeFolder(fs vfs.FS, dir string) error {
	var above []string // the folders that new ones stand in
	for at := filepath.Clean(dir); at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := fs.Stat(at); err == nil {
			break
		}
		above = append(above, filepath.Dir(at))
	}
	if len(above) == 0 {
		return nil
	}
	if err := fs.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	for _, folder := range above {
		if err := syncDir(fs, folder); err != nil && !errors.Is(err, os.ErrPermission) {
			return err
		}
	}
	return nil
}

// syncDir makes new, renamed and removed names in a folder durable.
func syncDir(fs vfs.FS, dir string) error {
	f, err := fs.OpenDir(dir)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}
