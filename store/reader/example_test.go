package reader_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/reader"
)

// A server needs lookups only: it opens a graph that another program built.
func Example() {
	dir := filepath.Join(os.TempDir(), "reader-example.knng")
	defer os.RemoveAll(dir)
	if err := buildAnimals(dir); err != nil {
		log.Fatal(err)
	}

	g, err := reader.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	row, err := g.RowOf("owl")
	if err != nil {
		log.Fatal(err)
	}
	list, err := g.Neighbors(row, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, n := range list {
		id, err := g.ID(n.Row)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(id, n.Distance)
	}
	// Output:
	// hawk 1
	// cat 3
}

// buildAnimals builds a graph of three rows. Package builder makes such stores of vectors.
func buildAnimals(dir string) error {
	d, err := store.OpenDraft(dir, store.Manifest{Rows: 3, Dim: 1, Type: "uint8", Metric: "euclidean", K: 2, Vectors: "copy"}, nil)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.CommitIDs(context.Background(), strings.NewReader("owl\nhawk\ncat\n"), "ids", 3, nil); err != nil {
		return err
	}
	err = d.CommitAdjacency(2, func(add func(neighbors []uint32, keys []float32) error) error {
		for _, list := range []struct {
			rows []uint32
			keys []float32 // squared distances
		}{{[]uint32{1, 2}, []float32{1, 9}}, {[]uint32{0, 2}, []float32{1, 4}}, {[]uint32{1, 0}, []float32{4, 9}}} {
			if err := add(list.rows, list.keys); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.Seal(context.Background(), map[string]string{"checksum": "none"})
}
