package rooted

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// List returns the names in a folder, sorted.
func (d *Dir) List(rel string) ([]string, error) {
	f, err := d.OpenFolder(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, d.named(rel, err)
}

// OpenFolder opens a folder.
func (d *Dir) OpenFolder(rel string) (*os.File, error) {
	if err := d.folder(rel); err != nil {
		return nil, err
	}
	f, err := d.root.Open(rel)
	return f, d.named(rel, err)
}

// RemoveAll removes the file or folder of a name, with all below it; links go, their targets stay.
func (d *Dir) RemoveAll(rel string) error {
	err := d.above(rel)
	if err == nil {
		err = d.root.RemoveAll(rel)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return d.named(rel, err)
}

// Remove removes a file, a link or an empty folder.
func (d *Dir) Remove(rel string) error {
	err := d.above(rel)
	if err == nil {
		err = d.root.Remove(rel)
	}
	return d.named(rel, err)
}

// Rename gives a file another name, in place of the file that has it.
func (d *Dir) Rename(from, to string) error {
	err := errors.Join(d.above(from), d.above(to))
	if err == nil {
		err = d.root.Rename(from, to)
	}
	return err
}

// MkdirAll makes a folder and those that it lies in.
func (d *Dir) MkdirAll(rel string, perm os.FileMode) error {
	err := d.above(rel)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = d.root.MkdirAll(rel, perm)
	}
	if err == nil {
		err = d.folder(rel)
	}
	return d.named(rel, err)
}

// Link gives a file a second name.
func (d *Dir) Link(from, to string) error {
	err := errors.Join(d.above(from), d.above(to))
	if err == nil {
		err = d.root.Link(from, to)
	}
	return err
}

// Rel turns a path that begins with the name of the directory into one below it, with
// slashes. A path that leads elsewhere is an error.
func (d *Dir) Rel(name string) (string, error) {
	rel, err := filepath.Rel(d.name, name)
	if err == nil && !filepath.IsLocal(rel) {
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return filepath.ToSlash(rel), err
}
