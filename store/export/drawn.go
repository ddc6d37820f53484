package export

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"strconv"

	"github.com/knng/knng/store"
)

// Graph formats: files of nodes and edges. In a symmetric graph an edge is a pair, written
// once; else it is a list's entry, from the row to its neighbor.

// edgesOf calls fn for every edge, in the order of rows and then of lists.
func (x *exporter) edgesOf(w *bufio.Writer, fn func(from, to uint32, distance float32)) error {
	return x.each(func(row uint32, neighbors []uint32, distances []float32) error {
		for i, n := range neighbors {
			if x.symmetric == nil || row < n {
				fn(row, n, distances[i])
			}
		}
		return failed(w)
	})
}

// labels calls fn for every row, with its external id, or "" in a graph without.
func (x *exporter) labels(fn func(row int, id string)) error {
	named := x.names()
	for row := range x.Len() {
		id := ""
		if named != nil {
			var err error
			if id, err = named.ID(store.Row(row)); err != nil {
				return fmt.Errorf("export: row %d: %w", row, err)
			}
		}
		fn(row, id)
	}
	return nil
}

// direction is how XML formats call the kind of edges.
func (x *exporter) direction() string {
	if x.symmetric != nil {
		return "undirected"
	}
	return "directed"
}

func (x *exporter) graphML(w *bufio.Writer) error {
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="label" for="node" attr.name="label" attr.type="string"/>
<key id="distance" for="edge" attr.name="distance" attr.type="double"/>
<graph edgedefault="%s">
`, x.direction())
	err := x.labels(func(row int, id string) {
		fmt.Fprintf(w, `<node id="%d">`, row)
		if id != "" {
			w.WriteString(`<data key="label">`)
			xml.EscapeText(w, []byte(id))
			w.WriteString(`</data>`)
		}
		w.WriteString("</node>\n")
	})
	if err != nil {
		return err
	}
	err = x.edgesOf(w, func(from, to uint32, distance float32) {
		fmt.Fprintf(w, "<edge source=\"%d\" target=\"%d\"><data key=\"distance\">%s</data></edge>\n", from, to, digits(distance))
	})
	w.WriteString("</graph>\n</graphml>\n")
	return err
}

// gexf writes version 1.2draft, which readers of all ages know.
func (x *exporter) gexf(w *bufio.Writer) error {
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
<graph defaultedgetype="%s">
<attributes class="edge"><attribute id="0" title="distance" type="double"/></attributes>
<nodes>
`, x.direction())
	err := x.labels(func(row int, id string) {
		fmt.Fprintf(w, `<node id="%d" label="`, row)
		if id == "" {
			id = strconv.Itoa(row)
		}
		xml.EscapeText(w, []byte(id))
		w.WriteString("\"/>\n")
	})
	if err != nil {
		return err
	}
	w.WriteString("</nodes>\n<edges>\n")
	number := uint64(0)
	err = x.edgesOf(w, func(from, to uint32, distance float32) {
		fmt.Fprintf(w, "<edge id=\"%d\" source=\"%d\" target=\"%d\"><attvalues><attvalue for=\"0\" value=\"%s\"/></attvalues></edge>\n", number, from, to, digits(distance))
		number++
	})
	w.WriteString("</edges>\n</graph>\n</gexf>\n")
	return err
}

// metis writes a line of neighbors for every row, numbered from 1.
func (x *exporter) metis(w *bufio.Writer) error {
	pairs := uint64(0)
	if err := x.edgesOf(w, func(uint32, uint32, float32) { pairs++ }); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d %d\n", x.Len(), pairs)
	return x.each(func(_ uint32, neighbors []uint32, _ []float32) error {
		for i, n := range neighbors {
			if i > 0 {
				w.WriteByte(' ')
			}
			w.Write(strconv.AppendUint(w.AvailableBuffer(), uint64(n)+1, 10))
		}
		w.WriteByte('\n')
		return failed(w)
	})
}

// edgeList writes a line for every edge: row, neighbor, distance.
func (x *exporter) edgeList(w *bufio.Writer) error {
	return x.edgesOf(w, func(from, to uint32, distance float32) {
		line := append(strconv.AppendUint(w.AvailableBuffer(), uint64(from), 10), ' ')
		line = append(strconv.AppendUint(line, uint64(to), 10), ' ')
		w.Write(append(strconv.AppendFloat(line, float64(distance), 'g', -1, 32), '\n'))
	})
}

// digits are as many as give the same float32 back.
func digits(distance float32) string { return strconv.FormatFloat(float64(distance), 'g', -1, 32) }
