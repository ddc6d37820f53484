package gofuncs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Root is an installed Go tree.
type Root struct {
	Dir     string // GOROOT
	Version string // as "go version" names it: go1.26.1
}

// FindRoot asks the go command where its tree is: the answer of runtime.GOROOT, of
// compile time, may be another machine's, or trimmed away. Without a go command
// it believes the environment variable GOROOT.
func FindRoot(ctx context.Context) (Root, error) {
	root, err := askGo(ctx)
	if err != nil {
		root, err = fromEnvironment(err)
	}
	if err != nil {
		return Root{}, err
	}
	if _, err := os.Stat(filepath.Join(root.Dir, "src", "strings")); err != nil {
		return Root{}, fmt.Errorf("gofuncs: GOROOT %s has no library sources (some distributions package them apart): %w", root.Dir, err)
	}
	return root, nil
}

func askGo(ctx context.Context) (Root, error) {
	c := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION")
	c.Dir, c.Env = os.TempDir(), append(os.Environ(), "GOTOOLCHAIN=local", "GOWORK=off") // whatever the folder at hand asks for
	out, err := c.Output()
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(failed.Stderr)))
	}
	if err != nil {
		return Root{}, fmt.Errorf("gofuncs: go env GOROOT: %w", err)
	}
	dir, version, ok := strings.Cut(strings.ReplaceAll(strings.TrimSpace(string(out)), "\r\n", "\n"), "\n")
	if !ok || dir == "" {
		return Root{}, fmt.Errorf("gofuncs: go env GOROOT GOVERSION printed %q, want two lines", out)
	}
	return Root{Dir: dir, Version: version}, nil
}

// fromEnvironment reads GOROOT and the VERSION file that release trees carry.
func fromEnvironment(asked error) (Root, error) {
	dir := os.Getenv("GOROOT")
	if dir == "" {
		return Root{}, errors.Join(errors.New("gofuncs: no Go tree found: GOROOT is not set, and no go command tells"), asked)
	}
	text, err := os.ReadFile(filepath.Join(dir, "VERSION"))
	if err != nil {
		return Root{}, fmt.Errorf("gofuncs: GOROOT from the environment: %w", err)
	}
	version, _, _ := strings.Cut(string(text), "\n")
	return Root{Dir: dir, Version: strings.TrimSpace(version)}, nil
}
