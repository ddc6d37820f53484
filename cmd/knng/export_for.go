package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/knng/knng/store/export"
)

// libraryTable lists the flags that --for sets, for the help.
func libraryTable() string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  --for\tformat\tthe row itself\tsymmetric")
	for _, l := range export.Libraries {
		var formats []string
		for _, f := range l.Formats {
			formats = append(formats, string(f))
		}
		self := "left out"
		if l.Self {
			self = "first"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", l.Name, strings.Join(formats, " or "), self, cmp.Or(string(l.Symmetric), "no"))
	}
	w.Flush()
	return text.String()
}

// suit sets the flags that the library of --for expects; flags that say something else are an error.
func (e *exportFlags) suit(c *cobra.Command) error {
	l, err := export.For(e.library)
	if err != nil {
		return err
	}
	contradicts := func(flag, value, want string) error {
		return fmt.Errorf("--for %s wants %s, and %s is %s: leave one of them out", l.Name, want, flag, value)
	}
	named, known := formatOf(e.out)
	switch {
	case e.opts.Format != "" && !slices.Contains(l.Formats, e.opts.Format):
		return contradicts("--format", string(e.opts.Format), string(l.Formats[0]))
	case e.opts.Format == "" && known && !slices.Contains(l.Formats, named):
		return contradicts("the extension of "+e.out, "that of "+string(named), string(l.Formats[0]))
	case c.Flags().Changed("self") && e.opts.Self != l.Self:
		return contradicts("--self", strconv.FormatBool(e.opts.Self), fmt.Sprintf("--self=%v", l.Self))
	case c.Flags().Changed("symmetric") && e.opts.Symmetric != l.Symmetric:
		return contradicts("--symmetric", string(e.opts.Symmetric), cmp.Or(string(l.Symmetric), "the lists as they are"))
	}
	if e.opts.Format == "" && known {
		e.opts.Format = named
	}
	e.opts.Format = cmp.Or(e.opts.Format, l.Formats[0])
	e.opts.Self, e.opts.Symmetric, e.use = l.Self, l.Symmetric, l.Use
	if e.opts.Format != l.Formats[0] && l.Name != "gephi" { // which opens all its formats alike
		e.use = otherUses[e.opts.Format]
	}
	return nil
}

// otherUses are calls for the formats that are not a library's first.
var otherUses = map[export.Format]string{
	export.NPZ:      `scipy.sparse.load_npz("PATH")`,
	export.GraphML:  `igraph.Graph.Read_GraphML("PATH")`,
	export.GEXF:     `networkx.read_gexf("PATH")`,
	export.EdgeList: `networkx.read_weighted_edgelist("PATH", nodetype=int)`,
}

// libraryNames lists the libraries.
func libraryNames() string {
	var names []string
	for _, l := range export.Libraries {
		names = append(names, l.Name)
	}
	return strings.Join(names, ", ")
}

// useOf is a library's call with the path and the numbers filled in.
func (e *exportFlags) useOf(k int) string {
	return strings.NewReplacer("PATH", e.out, "K+1", strconv.Itoa(k+1), "=K,", "="+strconv.Itoa(k)+",").Replace(e.use)
}
