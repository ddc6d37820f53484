package main

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/knng/knng/cmd/knng/internal/number"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors/distance"
)

const neighborsHelp = `Look up the neighbors of rows, by number or by external id.

  knng neighbors photos.knng 17 42
  knng neighbors photos.knng --id cat.jpg -k 5
  knng neighbors photos.knng 17 --json

A distance that is too large for float32 is infinite: +Inf or -Inf, and null in JSON.`

type neighborsFlags struct {
	byID bool
	k    int
}

func newNeighbors(g *globals) *cobra.Command {
	n := new(neighborsFlags)
	c := &cobra.Command{
		Use: "neighbors DIR ROW...", Short: "Look up neighbors by row or external id", Long: neighborsHelp,
		Args: args(cobra.MinimumNArgs(2)),
		RunE: func(c *cobra.Command, a []string) error {
			if err := refuse(c, []notZero{{"k", "1 or more"}}); err != nil {
				return usageError{err}
			}
			return n.run(g, a[0], a[1:])
		},
	}
	c.Flags().BoolVar(&n.byID, "id", false, "look up external ids in place of row numbers")
	c.Flags().IntVarP(&n.k, "k", "k", 0, "show only the k nearest (default all)")
	return c
}

// neighborList is a row's list as it is printed.
type neighborList struct {
	Row       uint64          `json:"row"`
	ID        string          `json:"id,omitempty"`
	Neighbors []shownNeighbor `json:"neighbors"`
}

type shownNeighbor struct {
	Rank       int             `json:"rank"`
	Row        uint64          `json:"row"`
	ID         string          `json:"id,omitempty"`
	Distance   number.Float32  `json:"distance"`
	Similarity *number.Float32 `json:"similarity,omitempty"` // under ip
}

// shownOf is a neighbor of a rank, without its id.
func shownOf(rank int, n store.Neighbor, ip bool) shownNeighbor {
	shown := shownNeighbor{Rank: rank, Row: uint64(n.Row), Distance: number.Float32(n.Distance)}
	if ip {
		similarity := number.Float32(0 - n.Distance) // never -0
		shown.Similarity = &similarity
	}
	return shown
}

// A shownGraph is a graph whose lists are printed: one as it was built, or one that is written to.
type shownGraph interface {
	RowOf(id string) (store.Row, error)
	ID(row store.Row) (string, error) // "" where it has none
	list(row store.Row) ([]store.Neighbor, error)
	metric() string
	K() int
	Close() error
}

type shownStore struct{ *store.Store }

func (s shownStore) ID(row store.Row) (string, error) {
	if !s.Info().IDs {
		return "", nil
	}
	return s.Store.ID(row)
}

func (s shownStore) list(row store.Row) ([]store.Neighbor, error) { return s.Neighbors(row, nil) }
func (s shownStore) metric() string                               { return s.Info().Distance }

type shownView struct{ *living.View }

func (v shownView) list(row store.Row) ([]store.Neighbor, error) { return v.Neighbors(row, nil) }
func (v shownView) metric() string                               { return v.Metric().String() }
func (v shownView) K() int                                       { return v.State().K }

// openShown opens a finished graph, whether it was written to or not.
func openShown(dir string) (shownGraph, error) {
	if living.Is(dir) {
		v, err := living.OpenReader(dir, nil)
		return shownView{v}, err
	}
	s, err := store.Open(dir, nil)
	return shownStore{s}, err
}

func (n *neighborsFlags) run(g *globals, dir string, names []string) error {
	x, err := openShown(dir)
	if err != nil {
		return err
	}
	defer x.Close()
	if k := x.K(); n.k < 0 || n.k > k {
		return usageError{fmt.Errorf("-k is %d, the lists of %s have %d neighbors", n.k, dir, k)}
	}
	var lists []neighborList
	for _, name := range names {
		row, err := n.row(x, name)
		if err != nil {
			return err
		}
		list, err := listOf(x, row, n.k)
		if err != nil {
			return err
		}
		lists = append(lists, list)
	}
	if g.json {
		return g.printJSON(map[string]any{"dir": dir, "metric": x.metric(), "lists": lists})
	}
	for i, list := range lists {
		if i > 0 {
			fmt.Fprintln(g.stdout)
		}
		printList(g, list)
	}
	return nil
}

// row is the row that an argument names.
func (n *neighborsFlags) row(x shownGraph, name string) (store.Row, error) {
	if n.byID {
		return x.RowOf(name)
	}
	row, err := strconv.ParseUint(name, 10, 63)
	if err != nil {
		return 0, usageError{fmt.Errorf("%q is not a row number; for external ids give --id", name)}
	}
	return store.Row(row), nil
}

// listOf reads the first k neighbors of a row (0: all), with ids where there are any.
func listOf(x shownGraph, row store.Row, k int) (list neighborList, err error) {
	found, err := x.list(row)
	if err != nil {
		return list, err
	}
	if k > 0 {
		found = found[:min(k, len(found))]
	}
	list.Row = uint64(row)
	if list.ID, err = x.ID(row); err != nil {
		return list, err
	}
	list.Neighbors, err = shownNeighbors(x, found)
	return list, err
}

// shownNeighbors are neighbors, or what a query found, as they are printed.
func shownNeighbors(x shownGraph, found []store.Neighbor) ([]shownNeighbor, error) {
	list := make([]shownNeighbor, 0, len(found))
	ip := x.metric() == distance.IP.String()
	for i, n := range found {
		id, err := x.ID(n.Row)
		if err != nil {
			return nil, err
		}
		shown := shownOf(i+1, n, ip)
		shown.ID = id
		list = append(list, shown)
	}
	return list, nil
}

func printList(g *globals, list neighborList) {
	fmt.Fprintf(g.stdout, "row %d %s\n", list.Row, oneLine(list.ID))
	printNeighbors(g, list.Neighbors)
}

func printNeighbors(g *globals, list []shownNeighbor) {
	for _, n := range list {
		fmt.Fprintf(g.stdout, "%5d %10d  %-12.6g %s\n", n.Rank, n.Row, n.Distance, oneLine(n.ID))
	}
}

// printJSON prints one object on stdout.
func (g *globals) printJSON(v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		_, _ = g.stdout.Write(append(text, '\n')) // which keeps its error
	}
	return err
}
