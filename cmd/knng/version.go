package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/spf13/cobra"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/distance"
)

func newVersion(g *globals) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print version, store format, Go version and kernel",
		Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			v := map[string]any{"version": version(), "format": store.FormatVersion, "go": runtime.Version(),
				"platform": runtime.GOOS + "/" + runtime.GOARCH, "kernel": distance.Kernel()}
			if g.json {
				return g.printJSON(v)
			}
			fmt.Fprintln(g.stdout, versionLine())
			return nil
		},
	}
}

// versionLine is the line that "knng version" and "knng --version" print.
func versionLine() string {
	return fmt.Sprintf("knng %s, store format %d, %s %s/%s, kernel %s",
		version(), store.FormatVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH, distance.Kernel())
}

// released is the version of a release, that of the Python package too, set by the linker.
var released string

// version is the module's version, or the commit that a checkout was built from.
func version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && info.Main.Version == "(devel)" {
			return s.Value
		}
	}
	return info.Main.Version
}

// build tells builds apart that may make different files: the version, and for a checkout with
// changes, or where nothing says which commit it is of, a hash of the program as well.
func build() string {
	if recorded() {
		return version()
	}
	return version() + " " + programHash()
}

// recorded reports whether a version control system has what the program was built from.
func recorded() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok || strings.Contains(info.Main.Version, "+dirty") {
		return false
	}
	revision := info.Main.Version != "(devel)" && info.Main.Version != ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.modified" && s.Value == "true":
			return false
		case s.Key == "vcs.revision":
			revision = true
		}
	}
	return revision
}

// programHash is a hash of the program's file, "" where it cannot be read.
func programHash() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum := xxhash.New()
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	return fmt.Sprintf("%016x", sum.Sum64())
}
