package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyCommand calls do with every command that help lists and its help.
func everyCommand(t *testing.T, do func(c *cobra.Command, help string)) {
	root := newRoot(&globals{})
	for _, c := range append(root.Commands(), root) {
		if c.Hidden {
			continue
		}
		var out bytes.Buffer
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		if code := run(args, nil, &out, &out); code != 0 {
			t.Fatalf("%s --help: exit code %d: %s", c.CommandPath(), code, out.Bytes())
		}
		do(c, out.String())
	}
}

// TestHelp: help prints each flag once, with the name of its value, in lines that are not too long.
func TestHelp(t *testing.T) {
	everyCommand(t, func(c *cobra.Command, help string) {
		for line := range strings.Lines(help) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > helpWidth {
				t.Errorf("%s --help: a line of %d characters: %s", c.Name(), n, line)
			}
		}
		if !c.Runnable() && !c.HasSubCommands() {
			return
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if n := len(regexp.MustCompile(`(?m)^  ....--`+f.Name+`\b[^-]`).FindAllString(help, -1)); n != 1 && !f.Hidden {
				t.Errorf("%s --help prints --%s %d times", c.Name(), f.Name, n)
			}
			if name := valueName(f); name != "bool" && name != strings.ToUpper(name) && name != "MxT" {
				t.Errorf("%s --help: the value of --%s has no name but its type, %s", c.Name(), f.Name, name)
			}
		})
	})
}

// TestHelpListsCommands: the list of commands has each of them once.
func TestHelpListsCommands(t *testing.T) {
	var listed []string
	for _, group := range commandGroups {
		listed = append(listed, group.names...)
	}
	var there []string
	everyCommand(t, func(c *cobra.Command, help string) {
		if c.HasParent() && c.Name() != "exit-codes" {
			there = append(there, c.Name())
		}
	})
	slices.Sort(listed)
	slices.Sort(there)
	if !slices.Equal(listed, there) {
		t.Errorf("listed are %q, there are %q", listed, there)
	}
}
