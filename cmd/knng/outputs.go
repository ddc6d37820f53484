package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
)

// outputFlags are flags of files and folders that commands make.
var outputFlags = []string{"output", "affinity", "plot", "cpuprofile"}

// noFile refuses outputs, "" being none, in whose place a file is already.
func noFile(paths ...string) error {
	for _, path := range paths {
		if path != "" && exists(path) {
			return taken(path)
		}
	}
	return nil
}

func taken(path string) error {
	return usageError{fmt.Errorf("%s exists: give another name, or remove it", path)}
}

// exists reports whether a path is there, also as a link to nothing.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// outsideStores refuses outputs that lie in a finished store: it is sealed as a whole, and check would call their files
// damage.
func outsideStores(flags *pflag.FlagSet) error {
	for _, name := range outputFlags {
		if f := flags.Lookup(name); f != nil && f.Value.String() != "" {
			if err := outside(f.Value.String()); err != nil {
				return err
			}
		}
	}
	if f := flags.Lookup("scratch"); f != nil && f.Value.String() != "" && !ownScratch(flags, f.Value.String()) { // files come into that folder
		if err := outside(f.Value.String() + string(filepath.Separator) + "scratch"); err != nil {
			return err
		}
	}
	if f := flags.Lookup("dir"); f != nil && f.Value.String() != "" { // in which demo makes a folder
		return outside(filepath.Join(f.Value.String(), "demo"))
	}
	return nil
}

// ownScratch reports whether a scratch folder lies in the command's own output.
func ownScratch(flags *pflag.FlagSet, scratch string) bool {
	output := flags.Lookup("output")
	if output == nil || output.Value.String() == "" {
		return false
	}
	own, err := filepath.Abs(output.Value.String())
	if err != nil {
		return false
	}
	whole, err := filepath.Abs(scratch)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(own, whole)
	return err == nil && filepath.IsLocal(rel)
}

// outside refuses a path in a finished store, by its name or where its folder is a link.
func outside(path string) error {
	here, err := os.Getwd()
	if err != nil {
		return nil // whoever opens the path has the better error
	}
	whole := path
	if !filepath.IsAbs(path) {
		whole = here + string(filepath.Separator) + path
	}
	around := storeAround(filepath.Dir(whole))
	if around == "" {
		around = storeAround(folderOf(whole))
	}
	if around == "" {
		return nil
	}
	if rel, err := filepath.Rel(here, around); err == nil && !filepath.IsAbs(path) {
		around = rel
	}
	return usageError{fmt.Errorf("%s lies in the store %s, which is sealed as a whole: want another place", path, around)}
}

// folderOf is where the system finds the folder of an absolute path, or the first above it that is there. The path is not
// cleaned: .. behind a link leads to where that leads.
func folderOf(path string) string {
	for {
		folder, _ := filepath.Split(path)
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			return real
		}
		up := strings.TrimRight(folder, string(filepath.Separator))
		if up == "" || up == path {
			return folder
		}
		path = up
	}
}

// storeAround is the finished store that a folder is or lies in, "" for none.
func storeAround(folder string) string {
	for {
		if state, err := store.StateOf(folder); err == nil && state == store.Finished || living.Is(folder) {
			return folder
		}
		up := filepath.Dir(folder)
		if up == folder {
			return ""
		}
		folder = up
	}
}

// leaveNothing returns a function that removes the folders which a command made from now on, where
// nothing came of it: beside a build, of whatever process, its scratch stays.
func leaveNothing(dir string) func() {
	var made []string
	for _, folder := range []string{filepath.Join(dir, "scratch"), dir} {
		if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
			made = append(made, folder)
		}
	}
	return func() {
		for _, folder := range made {
			_ = os.Remove(folder) // which is done where it is empty
		}
	}
}
