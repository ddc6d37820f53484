package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

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
			fmt.Fprintf(g.stdout, "knng %s, store format %d, %s %s, kernel %s\n", v["version"], v["format"], v["go"], v["platform"], v["kernel"])
			return nil
		},
	}
}

// version is the module's version, or the commit that a checkout was built from.
func version() string {
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
