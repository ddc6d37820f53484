package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is the most that a line of help takes.
const helpWidth = 100

// A helpGroup is commands or flags that help prints together, in this order.
type helpGroup struct {
	heading string
	names   []string
}

// commandGroups are all commands, by their use.
var commandGroups = []helpGroup{
	{"Make graphs and change them:", []string{"build", "plan", "append", "delete", "compact", "merge", "backup", "refine", "unite"}},
	{"Use them:", []string{"neighbors", "search", "export", "explore"}},
	{"Measure and check them:", []string{"info", "recall", "analyze", "check", "dump"}},
	{"More:", []string{"demo", "convert", "version", "completion", "help"}},
}

// flagValues are the values of flags, as help names them. Those of int flags that are not here are N.
var flagValues = map[string]string{
	"affinity": "FILE", "bad-rows": "WORD", "cluster": "MxT", "column": "NAME", "cpuprofile": "FILE", "dir": "DIR", "directions": "WORD",
	"distance": "NAME", "duplicates": "WORD", "effort": "N", "filter-ids": "FILE", "for": "NAME", "format": "NAME", "id": "ID",
	"id-column": "NAME", "idle": "TIME", "ids": "FILE", "images": "DIR", "labels": "FILE", "listen": "ADDRESS", "memory": "SIZE",
	"method": "NAME", "metric": "NAME", "output": "PATH", "packages": "LIST", "pair-cache": "WORD", "pairwise": "WORD", "plot": "FILE",
	"preference": "X", "progress": "WORD", "propagation": "WORD", "queries": "FILE", "recall": "R", "row": "ROW", "rows": "FILE",
	"scratch": "DIR", "search": "WORD", "symmetric": "WORD", "text": "FILE", "trigger": "RATE", "truth": "FILE", "truth-distances": "WORD",
	"type": "NAME", "vectors": "WORD", "within": "DISTANCE",
}

// A namedValue is the value of a flag under the name that help has for it.
type namedValue struct {
	pflag.Value
	name string
}

func (v namedValue) Type() string { return v.name }

// valueName is the name of a flag's value; "bool" is of a flag without one.
func valueName(f *pflag.Flag) string {
	name, ok := flagValues[f.Name]
	switch typ := f.Value.Type(); {
	case typ == "bool":
		return typ
	case typ == "stringArray": // --vectors of refine
		return "FILE"
	case typ == "intSlice":
		return "N,..."
	case ok:
		return name
	case typ == "int", typ == "uint64":
		return "N"
	default:
		return typ
	}
}

// setHelp has the help of all commands written by usage.
func (g *globals) setHelp(root *cobra.Command) {
	root.SetUsageFunc(func(c *cobra.Command) error { return g.usage(c, nil) })
	root.SetOut(g.stdout) // before the completion command, which keeps it
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	root.InitDefaultVersionFlag()
	root.Flags().Lookup("version").Usage = "print the version"
	for _, c := range root.Commands() {
		if c.HasSubCommands() { // without a RunE cobra prints help whatever the arguments are
			c.Args, c.RunE = cobra.NoArgs, func(c *cobra.Command, _ []string) error { return c.Help() }
		}
		if c.Name() == "help" {
			c.Use, c.Short = "help [COMMAND]", "Explain a command, or the exit codes"
			c.Long = "Print the help of a command, as COMMAND --help does, or the exit codes.\n\n  knng help build\n  knng help exit-codes"
			c.Run, c.RunE = nil, func(_ *cobra.Command, topic []string) error {
				of, rest, err := root.Find(topic)
				if err == nil && len(rest) > 0 {
					err = fmt.Errorf("unknown command %q for %q", rest[0], of.CommandPath())
				}
				if err != nil {
					return usageError{err}
				}
				of.InitDefaultHelpFlag()
				return of.Help()
			}
		}
	}
}

// groupFlags has the help of a command print its flags in groups: first those that no group
// names, then each group.
func (g *globals) groupFlags(c *cobra.Command, groups []helpGroup) {
	c.SetUsageFunc(func(c *cobra.Command) error { return g.usage(c, groups) })
}

// usage prints the commands and flags of a command, behind its text.
func (g *globals) usage(c *cobra.Command, groups []helpGroup) error {
	w, width := c.OutOrStderr(), helpWidth
	if o, ok := g.stdout.(*output); ok {
		if cells := terminalCells(o.w); cells > 0 {
			width = min(cells, width)
		}
	}
	fmt.Fprintln(w, "Usage:")
	if c.Runnable() && !c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s COMMAND\n", c.CommandPath())
		listCommands(w, c)
	}
	if c.HasAvailableLocalFlags() {
		listFlags(w, c.LocalFlags(), groups, width)
	}
	if c.HasAvailableInheritedFlags() {
		fmt.Fprintf(w, "\nFlags of every command:\n%s\n", flagUsages(c.InheritedFlags(), nil, width))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n\"%s COMMAND --help\" explains a command", c.CommandPath())
		if !c.HasParent() {
			fmt.Fprintf(w, ", \"%s help exit-codes\" the exit codes", c.CommandPath())
		}
		fmt.Fprintln(w, ".")
	}
	return nil
}

// listCommands prints the commands below c: in groups below knng, else in the order of their names.
func listCommands(w io.Writer, c *cobra.Command) {
	groups := commandGroups
	if c.HasParent() {
		of := helpGroup{heading: "Commands:"}
		for _, sub := range c.Commands() {
			of.names = append(of.names, sub.Name())
		}
		groups = []helpGroup{of}
	}
	for _, group := range groups {
		fmt.Fprintf(w, "\n%s\n", group.heading)
		for _, name := range group.names {
			if sub, _, err := c.Find([]string{name}); err == nil && sub.IsAvailableCommand() || name == "help" {
				fmt.Fprintf(w, "  %-12s %s\n", name, sub.Short)
			}
		}
	}
}

// listFlags prints those flags first that are in no group, then the groups.
func listFlags(w io.Writer, flags *pflag.FlagSet, groups []helpGroup, width int) {
	rest := helpGroup{heading: "Flags:"}
	flags.VisitAll(func(f *pflag.Flag) {
		if !slices.ContainsFunc(groups, func(g helpGroup) bool { return slices.Contains(g.names, f.Name) }) {
			rest.names = append(rest.names, f.Name)
		}
	})
	for _, group := range append([]helpGroup{rest}, groups...) {
		fmt.Fprintf(w, "\n%s\n%s\n", group.heading, flagUsages(flags, group.names, width))
	}
}

// flagUsages is the lines of flags, of all where no names are given.
func flagUsages(flags *pflag.FlagSet, names []string, width int) string {
	of := pflag.NewFlagSet("", pflag.ContinueOnError)
	add := func(f *pflag.Flag) {
		named := *f
		named.Value = namedValue{f.Value, valueName(f)}
		if named.DefValue == "[]" { // a list of none
			named.DefValue = ""
		}
		of.AddFlag(&named)
	}
	if names == nil {
		flags.VisitAll(add)
	}
	of.SortFlags = false
	for _, name := range names {
		add(flags.Lookup(name))
	}
	return strings.TrimRight(of.FlagUsagesWrapped(width), "\n")
}
