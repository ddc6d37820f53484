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
	return fmt.Errorf("%s: %w: \"knng merge %s -o NEW.knng\" builds one of the rows that live, with their ids and counted from 0", dir, errLiving, operand(dir))
}

// openSealed opens a graph as it was built.
func openSealed(dir string) (*store.Store, error) {
	if err := sealedOnly(dir); err != nil {
		return nil, err
	}
	return store.Open(dir, nil)
}
