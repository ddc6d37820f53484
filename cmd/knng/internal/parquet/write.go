package parquet

import (
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/export"
)

// A Graph can be written as a table; *store.Store is one.
type Graph interface {
	export.Graph
	export.Named
	Info() store.Info
}

// neighbors are the column that Embedding Atlas reads.
type neighbors struct {
	IDs       []int64   `parquet:"ids,list"`
	Distances []float32 `parquet:"distances,list"`
}

// A line is a row of the table: its number, its external id where the store has them,
// and its list.
type line struct {
	Row       int64     `parquet:"row,delta"`
	ID        *string   `parquet:"id,optional"`
	Neighbors neighbors `parquet:"neighbors"`
}

// writeRows is how many rows are handed to the library at a time, and groupRows how many
// stand in a row group: some tens of megabytes.
const writeRows, groupRows = 1024, 1 << 18

// Write writes the graph as a table with columns row (int64), id (string, where the store
// has ids) and neighbors, a struct of ids (rows, list of int64) and distances (list of
// float), compressed by Zstandard.
func Write(w io.Writer, g Graph) error {
	out := parquet.NewGenericWriter[line](w, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(groupRows),
		parquet.CreatedBy("knng", "", ""))
	batch := make([]line, 0, writeRows)
	flush := func() error {
		_, err := out.Write(batch)
		batch = batch[:0]
		return err
	}
	err := g.EachKeyed(func(row store.Row, neighbors []uint32, keys []float32) error {
		l := line{Row: int64(row)}
		if g.Info().IDs {
			id, err := g.ID(row)
			if err != nil && !errors.Is(err, store.ErrNoRow) && !errors.Is(err, store.ErrNoID) { // as a dropped row has none
				return err
			}
			if err == nil {
				l.ID = &id
			}
		}
		for i, n := range neighbors {
			l.Neighbors.IDs = append(l.Neighbors.IDs, int64(n))
			l.Neighbors.Distances = append(l.Neighbors.Distances, g.Shown(keys[i]))
		}
		if batch = append(batch, l); len(batch) == writeRows {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	return out.Close()
}
