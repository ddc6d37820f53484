package main

import (
	"errors"
	"fmt"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
)

// errLiving: a command reads graphs as they were built, and this one is written to.
var errLiving = errors.New("rows were put or deleted since the graph was built, and this command reads graphs as they were built")

// sealedOnly is nil for a graph as it was built. One that is written to has newer rows and deleted
// ones, which the files of the graph within it know nothing of.
func sealedOnly(dir string) error {
	if !living.Is(dir) {
		return nil
	}
	return fmt.Errorf("%s: %w", dir, notSealed(dir))
}

// notSealed is errLiving with a command that makes a graph as built of one that was written to. Merge wants ids
// for all rows, or for none.
func notSealed(dir string) error {
	merge := fmt.Sprintf("\"knng merge %s -o NEW.knng\" builds one of the rows that live, with their ids and counted from 0", operand(dir))
	if row, mixed := unnamedAmongNamed(dir); mixed {
		merge = fmt.Sprintf("row %d and maybe others have no id, while others have one: delete those (knng delete %s --rows FILE), put them again by knng append with --ids, and then %s",
			row, operand(dir), merge)
	}
	return fmt.Errorf("%w: %s", errLiving, merge)
}

// unnamedAmongNamed is the first row without an id in a graph of which other rows have one.
func unnamedAmongNamed(dir string) (row store.Row, mixed bool) {
	v, err := living.OpenReader(dir, nil)
	if err != nil {
		return 0, false
	}
	defer v.Close()
	named, bare := false, false
	for r := range v.Rows() {
		id, err := v.ID(r)
		if err != nil {
			return 0, false
		}
		if id == "" && !bare {
			row, bare = r, true
		}
		if named = named || id != ""; named && bare {
			return row, true
		}
	}
	return 0, false
}

// openSealed opens a graph as it was built.
func openSealed(dir string) (*store.Store, error) {
	if err := sealedOnly(dir); err != nil {
		return nil, err
	}
	return store.Open(dir, nil)
}
