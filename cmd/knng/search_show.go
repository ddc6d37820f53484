package main

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/aside"
)

// foundList is a query's results as they are printed.
type foundList struct {
	Query     int             `json:"query"`
	Neighbors []shownNeighbor `json:"neighbors"`
}

// show shows the results of all queries, or writes them. more are further members of the JSON.
func (f *searchFlags) show(g *globals, x shownGraph, found [][]store.Neighbor, t *tuned, more map[string]any) (err error) {
	if f.out != "" {
		return f.write(g, found, t)
	}
	lists := make([]foundList, len(found))
	for i, list := range found {
		lists[i].Query = i
		if lists[i].Neighbors, err = shownNeighbors(x, list); err != nil {
			return err
		}
	}
	if g.json {
		more["metric"], more["tuned"], more["queries"] = x.metric(), t, lists
		f.addEstimated(more)
		return g.printJSON(more)
	}
	for i, list := range lists {
		if i > 0 {
			fmt.Fprintln(g.stdout)
		}
		fmt.Fprintf(g.stdout, "query %d\n", list.Query)
		printNeighbors(g, list.Neighbors)
	}
	return nil
}

// addEstimated adds the recall that rows of the graph let expect, where it is low.
func (f *searchFlags) addEstimated(object map[string]any) {
	if f.estimated != nil {
		object["estimated_recall"] = *f.estimated
	}
}

// write writes the results as arrays.
func (f *searchFlags) write(g *globals, found [][]store.Neighbor, t *tuned) error {
	p, err := aside.Create(f.out)
	if err != nil {
		return err
	}
	defer p.Abort()
	if err := writeFound(p, found, f.k); err != nil {
		return err
	}
	if err := p.Commit(); err != nil {
		return err
	}
	if g.json {
		written := map[string]any{"path": f.out, "queries": len(found), "k": f.k, "tuned": t}
		f.addEstimated(written)
		return g.printJSON(written)
	}
	if !g.quiet {
		fmt.Fprintf(g.stdout, "%s: %d queries, k=%d\n", f.out, len(found), f.k)
	}
	return nil
}

// writeFound writes lists of k as the two arrays of a .npz file.
func writeFound(w io.Writer, found [][]store.Neighbor, k int) error {
	z := zip.NewWriter(w)
	for _, array := range []struct {
		name, descr string
		add         func(b []byte, n *store.Neighbor) []byte
	}{
		{"rows", "<i8", func(b []byte, n *store.Neighbor) []byte {
			if n == nil {
				return binary.LittleEndian.AppendUint64(b, math.MaxUint64)
			}
			return binary.LittleEndian.AppendUint64(b, uint64(n.Row))
		}},
		{"distances", "<f4", func(b []byte, n *store.Neighbor) []byte {
			d := float32(math.Inf(1))
			if n != nil {
				d = n.Distance
			}
			return binary.LittleEndian.AppendUint32(b, math.Float32bits(d))
		}},
	} {
		member, err := z.CreateHeader(&zip.FileHeader{Name: array.name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		out := bufio.NewWriter(member)
		fmt.Fprint(out, npyHeader(array.descr, len(found), k))
		var b []byte
		for _, list := range found {
			b = b[:0]
			for i := range k {
				if i < len(list) {
					b = array.add(b, &list[i])
				} else {
					b = array.add(b, nil)
				}
			}
			if _, err := out.Write(b); err != nil {
				return err
			}
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return z.Close()
}

// npyHeader begins a .npy file, version 1.0.
func npyHeader(descr string, rows, columns int) string {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, rows, columns)
	text += strings.Repeat(" ", (64-(10+len(text)+1)%64)%64) + "\n"
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(text)))) + text
}
