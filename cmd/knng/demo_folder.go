package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knng/knng/cmd/knng/internal/gofuncs"
	"github.com/knng/knng/vectors"
)

// A demoFolder holds one demo: functions.npy, functions.npy.ids and
// functions.knng. Its name has all that names the graph, so that another Go
// version, other flags or another knng find another folder.
type demoFolder string

func (f demoFolder) vectors() string { return filepath.Join(string(f), "functions.npy") }
func (f demoFolder) ids() string     { return f.vectors() + ".ids" }
func (f demoFolder) graph() string   { return filepath.Join(string(f), "functions.knng") }

// demoStore is raised when stores begun by an earlier version are refused because something
// else names them: 1, ids are named by their contents.
const demoStore = 1

// folder makes the demo's folder.
func (d *demoFlags) folder(in demoInput) (demoFolder, error) {
	name := fmt.Sprintf("%s-k%d-v%d.%d", in.name(), d.opts.K, gofuncs.Version, demoStore)
	if d.opts.Method != "" {
		name += "-" + string(d.opts.Method)
	}
	if len(d.packages) > 0 {
		packages := slices.Clone(d.packages)
		slices.Sort(packages)
		h := fnv.New32a()
		h.Write([]byte(strings.Join(slices.Compact(packages), ",")))
		name += fmt.Sprintf("-%08x", h.Sum32())
	}
	base, err := d.dir, error(nil)
	if base == "" {
		base = cacheDir()
	}
	if base, err = filepath.Abs(base); err != nil {
		return "", err
	}
	dir := filepath.Join(base, name)
	return demoFolder(dir), os.MkdirAll(dir, 0o777)
}

// cacheDir is knng/demo in the user's cache, or where that cannot be written, a
// folder among temporary files.
func cacheDir() string {
	if cache, err := os.UserCacheDir(); err == nil {
		dir := filepath.Join(cache, "knng", "demo")
		if os.MkdirAll(dir, 0o777) == nil && writable(dir) {
			return dir
		}
	}
	return filepath.Join(os.TempDir(), "knng-demo")
}

// writable reports whether something can be made in a folder.
func writable(dir string) bool {
	tried, err := os.MkdirTemp(dir, "new-")
	return err == nil && os.Remove(tried) == nil
}

// fileName keeps the letters of a version that a file's name may have: development
// versions have spaces and colons.
func fileName(version string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, version)
}

// readIDs returns the functions' ids in the order of the rows.
func (f demoFolder) readIDs() ([]string, error) {
	text, err := os.ReadFile(f.ids())
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), nil
}

// write writes vectors and ids beside their names and renames them when they
// are whole, the vectors last: where they are, the ids are.
func (f demoFolder) write(typ vectors.Type, fill func(*vectors.Writer) error) (err error) {
	tmp, err := os.MkdirTemp(string(f), "new-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	path := filepath.Join(tmp, filepath.Base(f.vectors()))
	w, err := vectors.Create(path, typ, gofuncs.Dim)
	if err != nil {
		return err
	}
	if err := fill(w); err != nil {
		return errors.Join(err, w.Abort())
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := os.Rename(path+".ids", f.ids()); err != nil {
		return err
	}
	return os.Rename(path, f.vectors())
}
