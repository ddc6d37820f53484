package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
)

// outputFlags are flags of files and folders that commands make.
var outputFlags = []string{"output", "affinity", "plot", "cpuprofile"}

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
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil // whoever opens it has the better error
	}
	folder := filepath.Dir(whole)
	around := storeAround(folder)
	if around == "" {
		around = storeAround(folderOf(path))
	}
	for around == "" {
		real, err := filepath.EvalSymlinks(folder)
		if err == nil {
			around = storeAround(real)
			break
		}
		up := filepath.Dir(folder) // of a folder that is not there yet
		if up == folder {
			break
		}
		folder = up
	}
	if around == "" {
		return nil
	}
	if here, err := filepath.Abs("."); err == nil && !filepath.IsAbs(path) {
		if rel, err := filepath.Rel(here, around); err == nil {
			around = rel
		}
	}
	return usageError{fmt.Errorf("%s lies in the store %s, which is sealed as a whole: want another place", path, around)}
}

// folderOf is where the system finds the folder of a path, or the first above it that is there: .. behind a link leads to where
// that leads. A path without a folder is in the current one.
func folderOf(path string) string {
	given, _ := filepath.Split(path)
	for given != "" {
		if real, err := filepath.EvalSymlinks(given); err == nil {
			if whole, err := filepath.Abs(real); err == nil {
				return whole
			}
		}
		trimmed := strings.TrimRight(given, string(filepath.Separator))
		given, _ = filepath.Split(trimmed)
	}
	here, _ := filepath.Abs(".")
	return here
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
