package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/knng/knng/store"
)

const dumpHelp = `Print a part of a store, finished or not, as it stands on disk. A graph that was written to
since it was built (append, delete, compact) is refused: knng info and knng check describe it.

  knng dump photos.knng               # all tags and records
  knng dump photos.knng row/17
  knng dump photos.knng block/17      # the bytes of the block that holds row 17
  knng dump photos.knng record/state

Keys, or none for a list of all:
  ` + store.DumpKeys

func newDump(g *globals) *cobra.Command {
	return &cobra.Command{
		Use: "dump DIR [KEY]", Short: "Print parts of a store as they stand on disk", Long: dumpHelp,
		Args: args(cobra.RangeArgs(1, 2)),
		RunE: func(c *cobra.Command, a []string) error {
			if err := sealedOnly(a[0]); err != nil {
				return err
			}
			key := ""
			if len(a) == 2 {
				key = a[1]
			}
			if !g.json {
				return store.Dump(c.Context(), a[0], g.stdout, key)
			}
			var text strings.Builder
			if err := store.Dump(c.Context(), a[0], &text, key); err != nil {
				return err
			}
			return g.printJSON(map[string]any{"dir": a[0], "key": key, "text": text.String()})
		},
	}
}
