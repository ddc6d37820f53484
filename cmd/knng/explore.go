package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/knng/knng/cmd/knng/internal/explore"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
)

const exploreHelp = `Look at a finished graph in a browser: search rows, see each with its neighbors,
labels, texts and pictures, histograms of distances and in-degrees, connected parts,
hubs, equal rows, and a map of the graph.

  knng explore photos.knng
  knng explore photos.knng --labels classes.txt --text captions.txt --images thumbs/
  knng explore photos.knng --listen 127.0.0.1:8080

The command prints an address and serves the page until you press Ctrl-C, which ends it with
exit code 0, as SIGTERM does. It listens on this machine only, and the page loads nothing
from elsewhere. --labels and --text are files of one line for each row, in the order of the
input; up to 20 labels have a color each on the map, of more the most frequent 19, and none
where they differ from row to row. --images is a folder of pictures (.png .jpg .gif .webp) named by
id, or by row number if no row has that id. The map shows at most 100,000 rows; it is kept as
DIR/map, which may be deleted. Of a graph that was written to the page shows the rows that live,
counted from 0, and makes the map each time.`

type exploreFlags struct {
	explore.Options
	listen string
}

func newExplore(g *globals) *cobra.Command {
	e := new(exploreFlags)
	c := &cobra.Command{
		Use: "explore DIR", Short: "Look at a graph in a browser", Long: exploreHelp,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, dirs []string) error { return e.run(c.Context(), g, dirs[0]) },
	}
	f := c.Flags()
	f.StringVar(&e.Labels, "labels", "", "labels, a line for each row (default none)")
	f.StringVar(&e.Text, "text", "", "texts, a line for each row (default none)")
	f.StringVar(&e.Images, "images", "", "pictures, named by id or row (default none)")
	f.StringVar(&e.listen, "listen", "127.0.0.1:0", "address of this machine, with a port; 0 is any free one")
	return c
}

// run serves the page until ctx ends, which is how people leave it: no failure.
func (e *exploreFlags) run(ctx context.Context, g *globals, dir string) error {
	s, err := g.openExplored(ctx, dir)
	if err != nil {
		return err
	}
	defer s.Close()
	server, err := explore.New(dir, s, e.Options)
	if err != nil {
		return err
	}
	listener, err := explore.Listen(e.listen)
	if err != nil {
		return usageError{fmt.Errorf("--listen: %w", err)}
	}
	address := "http://" + listener.Addr().String() + "/"
	if g.json {
		if err := g.printJSON(map[string]any{"address": address}); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(g.stdout, address)
	}
	prepared := make(chan error, 1)
	go func() { prepared <- server.Prepare(ctx) }()
	err = server.Serve(ctx, listener)
	if failure := <-prepared; failure != nil && ctx.Err() == nil {
		g.log("the map or the figures: %v", failure)
	}
	return err
}

// explored is a graph to look at.
type explored interface {
	explore.Graph
	Close() error
}

// openExplored opens a graph as it was built, or the live rows of one that was written to.
func (g *globals) openExplored(ctx context.Context, dir string) (explored, error) {
	if !living.Is(dir) {
		return store.Open(dir, nil)
	}
	v, err := g.openLivingSearch(ctx, dir, 0, false)
	if err != nil {
		return nil, err
	}
	l, err := v.Graph()
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	if l.Renumbered() && !g.quiet {
		tellRenumbered(g.stderr, dir)
	}
	return &liveExplored{l, v}, nil
}

// liveExplored is the live rows of a graph that was written to.
type liveExplored struct {
	*living.Graph
	view *living.View
}

// Info has the shape of rows as well.
func (l *liveExplored) Info() store.Info {
	info := l.Graph.Info()
	info.Manifest.Dim, info.Manifest.Type = l.view.Dim(), l.view.Type().String()
	return info
}

// Close closes the view.
func (l *liveExplored) Close() error { return l.view.Close() }
