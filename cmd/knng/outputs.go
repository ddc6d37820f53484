package main

import (
	"fmt"
	"path/filepath"

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
	if f := flags.Lookup("dir"); f != nil && f.Value.String() != "" { // in which demo makes a folder
		return outside(filepath.Join(f.Value.String(), "demo"))
	}
	return nil
}

// outside refuses a path in a finished store, by its name or where its folder is a link.
func outside(path string) error {
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil // whoever opens it has the better error
	}
	folder := filepath.Dir(whole)
	around := storeAround(folder)
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
