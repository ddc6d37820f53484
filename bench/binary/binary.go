// Package binary makes the knng command that benchmarks run.
package binary

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Knng returns the path of the knng command: given, or, where that is "", one built
// now from the module at hand into a new folder in scratch ("" is that of the system).
// clean removes the folder, and is never nil.
func Knng(ctx context.Context, given, scratch string) (path string, clean func(), err error) {
	clean = func() {}
	if given != "" {
		return given, clean, nil
	}
	dir, err := os.MkdirTemp(scratch, "knng-")
	if err != nil {
		return "", clean, fmt.Errorf("binary: %w", err)
	}
	clean = func() { os.RemoveAll(dir) }
	path = filepath.Join(dir, "knng")
	build := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/knng/knng/cmd/knng")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return "", clean, fmt.Errorf("binary: go build: %w", err)
	}
	return path, clean, nil
}
