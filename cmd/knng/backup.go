package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/search"
)

const backupHelp = `Copy a graph as it is at one moment, while others read it and write to it. A copy by other
programs has files of different moments then, and is refused as damaged.

  knng backup photos.knng -o /mnt/other/photos.knng

Files that are never written to again are linked where both are in one file system: that takes
no space and no time, but damage to the disk may be in both. Elsewhere they are copied. A backup
that was interrupted begins anew when the same command is given again.`

func newBackup(g *globals) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use: "backup DIR -o COPY", Short: "Copy a graph, also while it is written to", Long: backupHelp,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error { return runBackup(c.Context(), g, a[0], out) },
	}
	c.Flags().StringVarP(&out, "output", "o", "", "directory of the copy")
	requireOutput(c)
	return c
}

// backedUp describes a copy.
type backedUp struct {
	Dir  string `json:"dir"`
	Of   string `json:"of"`
	Rows int    `json:"rows"`
	Ops  uint64 `json:"ops"` // as knng info tells of both
}

func runBackup(ctx context.Context, g *globals, dir, out string) error {
	v, err := living.OpenReader(dir, nil)
	if errors.Is(err, store.ErrSparse) || errors.Is(err, living.ErrOffsets) || errors.Is(err, search.ErrOwnDistance) {
		return usageError{fmt.Errorf("no rows can be put into %s or deleted, so that any copy of its folder is whole: copy it by other programs", dir)}
	}
	if err != nil {
		return err
	}
	defer v.Close()
	err = v.Backup(ctx, out)
	if errors.Is(err, fs.ErrExist) {
		return usageError{fmt.Errorf("%s is there already%s give another directory", out, unfinishedCopy(out))}
	}
	if err != nil {
		return err
	}
	st := v.State()
	if g.json {
		return g.printJSON(backedUp{out, dir, st.Rows, st.Ops})
	}
	if !g.quiet {
		fmt.Fprintf(g.stdout, "%s: a copy of %s, %d rows of %d %s, k=%d, %s\n", out, dir, st.Rows, st.Dim, st.Type, st.K, st.Metric)
	}
	return nil
}

// unfinishedCopy says that a folder is no graph: a backup that was killed leaves such a one, which only one of the same graph takes over.
func unfinishedCopy(dir string) string {
	v, err := living.OpenReader(dir, nil)
	if err != nil {
		return ", and holds no whole graph; if a backup of another graph was killed there, delete it, or"
	}
	v.Close()
	return ":"
}
