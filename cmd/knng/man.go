//go:build man

package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// The command man is in a release's build only: go run -tags man ./cmd/knng man DIR. The
// library that formats pages is not linked by the command that people get.
func init() {
	more = append(more, func(*globals) *cobra.Command {
		return &cobra.Command{
			Use: "man DIR", Hidden: true, Short: "Write a man page of every command into a folder",
			Args: args(cobra.ExactArgs(1)),
			RunE: func(c *cobra.Command, a []string) error {
				if err := os.MkdirAll(a[0], 0o777); err != nil {
					return err
				}
				c.Root().DisableAutoGenTag = true // the date is that of SOURCE_DATE_EPOCH
				return doc.GenManTree(c.Root(), &doc.GenManHeader{Title: "KNNG", Section: "1", Source: "knng " + version(), Manual: "knng"}, a[0])
			},
		}
	})
}
