package main

import (
	"bytes"
	"errors"
	"io"

	"github.com/knng/knng/cmd/knng/internal/textlines"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
)

// openLiving opens a graph for writing, and counts the isolated rows that its first write takes away.
func openLiving(dir string, o *living.Options) (db *living.DB, gone int, err error) {
	if db, err = living.Open(dir, o); err != nil {
		return nil, 0, err
	}
	if gone, err = isolated(db, dir); err != nil {
		return nil, 0, errors.Join(err, db.Close())
	}
	return db, gone, nil
}

// isolated counts the rows that the first write to a graph takes away, as they have no place in it: 0 after that write.
func isolated(db *living.DB, dir string) (int, error) {
	if living.Is(dir) {
		return 0, nil
	}
	v, err := db.View()
	if err != nil {
		return 0, err
	}
	defer v.Close()
	if v.Base() == nil {
		return 0, nil
	}
	return v.Base().Len() - v.Len(), nil
}

// tellIsolated tells of rows that the first write took away, where there was one.
func (g *globals) tellIsolated(gone int, dir string) {
	if gone > 0 && living.Is(dir) {
		g.say("%d isolated rows (build --bad-rows isolate) are no rows of %s from this first write on; all others keep their numbers", gone, dir)
	}
}

// readLines reads a file of so many lines; any number if that is below 0. It is nil where there
// is no file.
func readLines(path string, want int) (lines []string, err error) {
	if path == "" {
		return nil, nil
	}
	f, err := openText(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Mode().IsRegular() {
		return idsIn(f, path, want)
	}
	text, err := io.ReadAll(f) // of a pipe, which cannot be read twice
	if err != nil {
		return nil, err
	}
	return idsIn(bytes.NewReader(text), path, want)
}

// idsIn reads lines, which are ids of so many rows, or anything if want is below 0; errors say of which name.
func idsIn(r io.ReadSeeker, name string, want int) (all []string, err error) {
	if want >= 0 {
		if err := store.CheckIDs(r, name, want); err != nil {
			return nil, err
		}
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
	}
	err = textlines.Each(r, name, func(line string) error {
		all = append(all, line)
		return nil
	})
	return all, err
}
