package rooted_test

import (
	"os"
	"testing"
)

// copyOf is nothing: no process is forked.
func copyOf(*testing.T, *os.File) *os.File { return nil }
