package export

import (
	"bufio"
	"errors"

	"github.com/knng/knng/store"
)

// Numbered is a [Graph] whose lists are looked up one by one, of rows that have other numbers where it
// comes from; *living.Graph is one. It gives distances in place of keys.
type Numbered interface {
	Graph
	described
	// Number is the number of a row where the graph comes from, ascending with the row.
	Number(row store.Row) store.Row
}

// ErrKeys says that keys were asked of a Numbered graph.
var ErrKeys = errors.New("export: gt holds the keys of a graph as it was built, and this one was written to since: want another format")

// A kept graph has its lists in a temporary file: they are looked up once, however many passes an export makes.
type kept struct {
	Numbered
	lists *edges
}

// keep goes over a graph and keeps its lists.
func keep(g Numbered, path string) (*kept, error) {
	lists, err := createEdges(path, g.Len())
	if err != nil {
		return nil, err
	}
	var list []entry
	err = g.EachKeyed(func(_ store.Row, neighbors []uint32, distances []float32) error {
		list = list[:0]
		for i, n := range neighbors {
			list = append(list, entry{neighbor: n, distance: distances[i]})
		}
		return lists.append(list)
	})
	if err == nil {
		err = lists.finish()
	}
	if err != nil {
		lists.remove()
		return nil, err
	}
	return &kept{g, lists}, nil
}

// EachKeyed reads the file.
func (k *kept) EachKeyed(fn func(row store.Row, neighbors []uint32, distances []float32) error) error {
	return k.lists.each(func(row uint32, neighbors []uint32, distances []float32) error {
		return fn(store.Row(row), neighbors, distances)
	})
}

// numbersFile is the file of numbers in a folder of npy.
const numbersFile = "rows.npy"

// npyNumbers writes the numbers of all rows.
func (x *exporter) npyNumbers(w *bufio.Writer) error {
	numbered := x.Graph.(Numbered)
	w.WriteString(npyHeader("<i8", x.Len()))
	for row := range x.Len() {
		putInt(w, true, int64(numbered.Number(store.Row(row))))
		if err := failed(w); err != nil {
			return err
		}
	}
	return nil
}
