package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A flagGroup is flags that help prints together, in this order.
type flagGroup struct {
	heading string
	names   []string
}

// groupFlags has the help of a command print its flags in groups: first those that no group
// names, then each group.
func groupFlags(c *cobra.Command, groups []flagGroup) {
	const flat = "Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
	c.SetUsageFunc(func(c *cobra.Command) error { // by then all flags are there
		text := "{{" + strconv.Quote(groupedUsages(c.LocalFlags(), groups)) + "}}"
		c.SetUsageTemplate(strings.Replace(c.UsageTemplate(), flat, text, 1))
		c.SetUsageFunc(nil) // the usual one follows the template
		return c.UsageFunc()(c)
	})
}

func groupedUsages(flags *pflag.FlagSet, groups []flagGroup) string {
	rest := flagGroup{heading: "Flags:"}
	flags.VisitAll(func(f *pflag.Flag) {
		if !slices.ContainsFunc(groups, func(g flagGroup) bool { return slices.Contains(g.names, f.Name) }) {
			rest.names = append(rest.names, f.Name)
		}
	})
	var usages []string
	for _, g := range append([]flagGroup{rest}, groups...) {
		of := pflag.NewFlagSet("", pflag.ContinueOnError)
		of.SortFlags = false
		for _, name := range g.names {
			of.AddFlag(flags.Lookup(name))
		}
		usages = append(usages, g.heading+"\n"+strings.TrimRight(of.FlagUsages(), "\n"))
	}
	return strings.Join(usages, "\n\n")
}
