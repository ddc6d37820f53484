package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/knng/knng/store"
)

// wellKnown are functions with a twin that every Go programmer can judge:
// another package's, another width's, another encoding's.
var wellKnown = []string{
	"bytes.Index",
	"strings.(*Builder).WriteString",
	"unicode/utf16.DecodeRune",
	"sort.Sort",
	"hash/crc32.Update",
	"encoding/hex.EncodeToString",
	"compress/gzip.(*Writer).Close",
	"net.Dial",
}

// wellKnownShown is how many neighbors of each are shown; of functions that were
// asked for by name all are.
const wellKnownShown = 6

// show prints the neighbors of rows, those of the well-known functions if none
// were asked for, and where everything lies.
func (d *demo) show(g *globals, rows []store.Row) error {
	s, err := store.Open(d.folder.graph(), nil)
	if err != nil {
		return err
	}
	defer s.Close()
	shown := 0
	if len(rows) == 0 {
		rows, shown = known(d.ids), wellKnownShown
	}
	var lists []neighborList
	for _, row := range rows {
		list, err := listOf(shownStore{s}, row, shown)
		if err != nil {
			return err
		}
		lists = append(lists, list)
	}
	if g.json {
		return g.printJSON(map[string]any{
			"dir": d.folder.graph(), "vectors": d.folder.vectors(), "ids": d.folder.ids(), "already_finished": d.already,
			"build": flatten(d.result, d.folder.graph()), "lists": lists,
		})
	}
	printTable(g.stdout, lists)
	if !g.quiet {
		d.summary(g.stdout, selfName(), example(lists[0]))
	}
	return nil
}

// example is a function to ask for next: the neighbor of one that was shown.
func example(list neighborList) string {
	if len(list.Neighbors) == 0 {
		return list.ID
	}
	return list.Neighbors[len(list.Neighbors)-1].ID
}

// known returns the rows of the well-known functions, or where --packages has
// none of them, some others.
func known(ids []string) (rows []store.Row) {
	for _, name := range wellKnown {
		if i := slices.Index(ids, name); i >= 0 {
			rows = append(rows, store.Row(i))
		}
	}
	if len(rows) > 0 {
		return rows
	}
	some := min(len(wellKnown), len(ids))
	for i := range some {
		rows = append(rows, store.Row(i*len(ids)/some))
	}
	return rows
}

// find returns the rows of functions by name: one, or one for each file that
// defines the function. An unknown name is an error that offers names like it.
func find(ids, names []string) (rows []store.Row, err error) {
	for _, name := range names {
		before := len(rows)
		for i, id := range ids {
			if id == name || strings.HasPrefix(id, name+" (") {
				rows = append(rows, store.Row(i))
			}
		}
		if len(rows) == before {
			return nil, usageError{fmt.Errorf("no function %q%s", name, offer(ids, name))}
		}
	}
	return rows, nil
}

// offered is how many names an error offers.
const offered = 8

// offer lists ids that have the name in them, whatever the case.
func offer(ids []string, name string) string {
	var like []string
	for _, id := range ids {
		if strings.Contains(strings.ToLower(id), strings.ToLower(name)) {
			like = append(like, id)
		}
	}
	switch more := len(like) - offered; {
	case len(like) == 0:
		return ""
	case more > 0:
		return fmt.Sprintf("; like it are %s and %d more", strings.Join(like[:offered], ", "), more)
	}
	return "; like it: " + strings.Join(like, ", ")
}

// printTable prints each function beside its neighbors and their distances.
func printTable(w io.Writer, lists []neighborList) {
	width := len("function")
	for _, list := range lists {
		width = max(width, utf8.RuneCountInString(list.ID))
	}
	fmt.Fprintf(w, "%-*s  distance  nearest functions\n", width, "function")
	for _, list := range lists {
		fmt.Fprintln(w)
		name := list.ID
		for _, n := range list.Neighbors {
			fmt.Fprintf(w, "%-*s  %8.3f  %s\n", width, name, n.Distance, n.ID)
			name = ""
		}
	}
}

// summary names the graph, its recall, its place, and the commands to try next.
func (d *demo) summary(w io.Writer, self, example string) {
	r, graph := d.result, d.folder.graph()
	state := "built"
	if d.already {
		state = "already finished; built"
	}
	fmt.Fprintf(w, "\ngraph    %s\n", graph)
	fmt.Fprintf(w, "         %d functions, the %d nearest of each by cosine, from %s\n", r.Rows, r.K, d.folder.vectors())
	if r.Recall.Sample > 0 {
		fmt.Fprintf(w, "recall   %.4f, 95 %% interval %.4f to %.4f (%d functions compared with all)\n", r.Recall.Recall, r.Recall.Low, r.Recall.High, r.Recall.Sample)
	} else {
		fmt.Fprintf(w, "recall   %.4f: all were compared with all\n", r.Recall.Recall)
	}
	fmt.Fprintf(w, "time     %s in %.2f s with %d threads, method %s\n", state, r.Seconds, r.Threads, r.Method)
	fmt.Fprintf(w, "pairs    %d compared, %.1f %% of all\n", r.Comparisons, 100*r.ScanRate)
	fmt.Fprintf(w, "next     %s demo%s %s\n", self, d.flags, quoted(example))
	fmt.Fprintf(w, "         %s neighbors %s --id %s\n", self, quoted(graph), quoted(example))
	fmt.Fprintf(w, "         %s recall %s\n", self, quoted(graph))
}

// selfName is how this program was called: "go run" puts it in a build folder,
// which nobody could type.
func selfName() string {
	if exe, err := os.Executable(); err == nil && strings.Contains(filepath.ToSlash(exe), "/go-build") {
		return "go run ./cmd/knng"
	}
	return "knng"
}
