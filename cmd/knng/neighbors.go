package main

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors/distance"
)

const neighborsHelp = `Look up the neighbors of rows, by number or by external id.

  knng neighbors photos.knng 17 42
  knng neighbors photos.knng --id cat.jpg -k 5
  knng neighbors photos.knng 17 --json`

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
	Rank       int      `json:"rank"`
	Row        uint64   `json:"row"`
	ID         string   `json:"id,omitempty"`
	Distance   float32  `json:"distance"`
	Similarity *float32 `json:"similarity,omitempty"` // under ip
}

func (n *neighborsFlags) run(g *globals, dir string, what []string) error {
	if living.Is(dir) {
		return n.runLiving(g, dir, what)
	}
	s, err := store.Open(dir, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := n.fits(dir, s.K()); err != nil {
		return err
	}
	var lists []neighborList
	for _, w := range what {
		list, err := n.lookup(s, w)
		if err != nil {
			return err
		}
		lists = append(lists, list)
	}
	if g.json {
		return g.printJSON(map[string]any{"dir": dir, "metric": s.Info().Distance, "lists": lists})
	}
	for i, list := range lists {
		if i > 0 {
			fmt.Fprintln(g.stdout)
		}
		printList(g, list)
	}
	return nil
}

// fits is nil where lists of k have as many neighbors as are wanted.
func (n *neighborsFlags) fits(dir string, k int) error {
	if n.k < 0 || n.k > k {
		return usageError{fmt.Errorf("-k is %d, the lists of %s have %d neighbors", n.k, dir, k)}
	}
	return nil
}

// lookup finds one row's list.
func (n *neighborsFlags) lookup(s *store.Store, what string) (list neighborList, err error) {
	var row store.Row
	if n.byID {
		row, err = s.RowOf(what)
	} else {
		var number uint64
		if number, err = strconv.ParseUint(what, 10, 63); err != nil {
			err = usageError{fmt.Errorf("%q is not a row number; for external ids give --id", what)}
		}
		row = store.Row(number)
	}
	if err != nil {
		return list, err
	}
	return listOf(s, row, n.k)
}

// listOf reads the first k neighbors of a row (0: all), with ids where there
// are any.
func listOf(s *store.Store, row store.Row, k int) (list neighborList, err error) {
	found, err := s.Neighbors(row, nil)
	if err != nil {
		return list, err
	}
	if k > 0 && len(found) > k {
		found = found[:k]
	}
	list = neighborList{Row: uint64(row), Neighbors: make([]shownNeighbor, 0, len(found))}
	ip := s.Info().Distance == distance.IP.String()
	for i, f := range found {
		shown := shownNeighbor{Rank: i + 1, Row: uint64(f.Row), Distance: f.Distance}
		if ip {
			similarity := 0 - f.Distance // never -0
			shown.Similarity = &similarity
		}
		list.Neighbors = append(list.Neighbors, shown)
	}
	if !s.Info().IDs {
		return list, nil
	}
	if list.ID, err = s.ID(row); err != nil {
		return list, err
	}
	for i := range list.Neighbors {
		if list.Neighbors[i].ID, err = s.ID(store.Row(list.Neighbors[i].Row)); err != nil {
			return list, err
		}
	}
	return list, nil
}

func printList(g *globals, list neighborList) {
	fmt.Fprintf(g.stdout, "row %d %s\n", list.Row, oneLine(list.ID))
	for _, n := range list.Neighbors {
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
