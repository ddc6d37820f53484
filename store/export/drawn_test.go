package export

import (
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/knng/knng/store"
)

// labelled is a graph whose rows have ids that XML must escape.
type labelled struct{ *graph }

func (labelled) ID(row store.Row) (string, error) { return fmt.Sprintf(`<row & "%d">`, row), nil }
func (labelled) Info() store.Info                 { return store.Info{IDs: true} }

// drawing is a graph as a program of nodes and edges reads it.
type drawing struct {
	undirected bool
	nodes      []string // ids of the file and labels
	edges      []cell
}

func (d *drawing) edge(source, target, distance string) error {
	from, err := strconv.ParseUint(source, 10, 32)
	if err != nil {
		return err
	}
	to, err := strconv.ParseUint(target, 10, 32)
	if err != nil {
		return err
	}
	value, err := strconv.ParseFloat(distance, 32)
	d.edges = append(d.edges, cell{uint32(from), uint32(to), float32(value)})
	return err
}

func readGraphML(data []byte) (d drawing, err error) {
	var file struct {
		Graph struct {
			Default string `xml:"edgedefault,attr"`
			Nodes   []struct {
				ID   string `xml:"id,attr"`
				Data string `xml:"data"`
			} `xml:"node"`
			Edges []struct {
				Source string `xml:"source,attr"`
				Target string `xml:"target,attr"`
				Data   string `xml:"data"`
			} `xml:"edge"`
		} `xml:"graph"`
	}
	if err := xml.Unmarshal(data, &file); err != nil {
		return d, err
	}
	d.undirected = file.Graph.Default == "undirected"
	for _, n := range file.Graph.Nodes {
		d.nodes = append(d.nodes, n.ID+" "+n.Data)
	}
	for _, e := range file.Graph.Edges {
		if err := d.edge(e.Source, e.Target, e.Data); err != nil {
			return d, err
		}
	}
	return d, nil
}

func readGEXF(data []byte) (d drawing, err error) {
	var file struct {
		Graph struct {
			Default string `xml:"defaultedgetype,attr"`
			Nodes   []struct {
				ID    string `xml:"id,attr"`
				Label string `xml:"label,attr"`
			} `xml:"nodes>node"`
			Edges []struct {
				ID     string `xml:"id,attr"`
				Source string `xml:"source,attr"`
				Target string `xml:"target,attr"`
				Value  struct {
					Value string `xml:"value,attr"`
				} `xml:"attvalues>attvalue"`
			} `xml:"edges>edge"`
		} `xml:"graph"`
	}
	if err := xml.Unmarshal(data, &file); err != nil {
		return d, err
	}
	d.undirected = file.Graph.Default == "undirected"
	for _, n := range file.Graph.Nodes {
		d.nodes = append(d.nodes, n.ID+" "+n.Label)
	}
	for i, e := range file.Graph.Edges {
		if e.ID != strconv.Itoa(i) {
			return d, fmt.Errorf("edge %d has id %s", i, e.ID)
		}
		if err := d.edge(e.Source, e.Target, e.Value.Value); err != nil {
			return d, err
		}
	}
	return d, nil
}

// expected is the drawing of a graph by the definitions.
func expected(g *graph, o Options) (d drawing) {
	d.undirected = o.Symmetric != Directed
	for row := range g.Len() {
		d.nodes = append(d.nodes, fmt.Sprintf(`%d <row & "%d">`, row, row))
	}
	for _, c := range wanted(g, o) {
		if !d.undirected || c.row < c.neighbor {
			d.edges = append(d.edges, c)
		}
	}
	return d
}

func TestDrawnFormatsAgainstDefinitions(t *testing.T) {
	const seed = 9
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, shape := range [][2]int{{1, 0}, {2, 1}, {60, 4}} {
		g := randomGraph(rng, shape[0], shape[1])
		for _, s := range []Symmetric{Directed, Union, Mutual} {
			o := Options{Symmetric: s}
			want := expected(g, o)
			for f, read := range map[Format]func([]byte) (drawing, error){GraphML: readGraphML, GEXF: readGEXF} {
				o.Format = f
				got, err := read(slurp(t, exported(t, labelled{g}, o, "g.xml")))
				if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("seed %d, %s %q of %v: %v\n got %v\nwant %v", seed, f, s, shape, err, got, want)
				}
			}
			o.Format = EdgeList
			var lines strings.Builder
			for _, e := range want.edges {
				fmt.Fprintln(&lines, e.row, e.neighbor, e.distance)
			}
			if got := slurp(t, exported(t, g, o, "g.edgelist")); string(got) != lines.String() {
				t.Errorf("seed %d, %q of %v: %s, want %s", seed, s, shape, got, &lines)
			}
			if s != Directed {
				o.Format = METIS
				text := string(slurp(t, exported(t, g, o, "g.metis")))
				if want := adjacency(g, o); text != want {
					t.Errorf("seed %d, %q of %v:\n%s, want\n%s", seed, s, shape, text, want)
				}
			}
		}
	}
}

// adjacency is a METIS file by the definitions.
func adjacency(g *graph, o Options) string {
	lists, pairs := make([][]string, g.Len()), 0
	for _, c := range wanted(g, o) {
		lists[c.row] = append(lists[c.row], strconv.Itoa(int(c.neighbor)+1))
		pairs++
	}
	var text strings.Builder
	fmt.Fprintln(&text, g.Len(), pairs/2)
	for _, list := range lists {
		fmt.Fprintln(&text, strings.Join(list, " "))
	}
	return text.String()
}

func TestDrawnFormatsRefuse(t *testing.T) {
	for _, f := range Formats {
		if err := (&Options{Format: f, Self: true, Symmetric: Union}).Validate(); f.drawn() && (err == nil || !strings.Contains(err.Error(), "loop")) {
			t.Errorf("%s with Self: %v", f, err)
		}
	}
	if err := (&Options{Format: METIS}).Validate(); err == nil || !strings.Contains(err.Error(), "want symmetric") {
		t.Errorf("metis of lists as they are: %v", err)
	}
	if !slices.Contains(Formats, GEXF) {
		t.Error("no gexf")
	}
	path := exported(t, &graph{k: 1, lists: [][]uint32{{1}, {0}}, keys: [][]float32{{1}, {1}}}, Options{Format: GraphML}, "g.graphml")
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), `<node id="0"></node>`) {
		t.Errorf("without ids: %s, %v", text, err)
	}
}
