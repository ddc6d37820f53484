package parquet

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/knng/knng/store"
)

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
func Write(w io.Writer, g *store.Store) error {
	out := parquet.NewGenericWriter[line](w, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(groupRows),
		parquet.CreatedBy("knng", "", ""))
	it, batch := g.Iterate(), make([]line, 0, writeRows)
	flush := func() error {
		_, err := out.Write(batch)
		batch = batch[:0]
		return err
	}
	for row, list := range it.All() {
		l := line{Row: int64(row)}
		if g.Info().IDs {
			if id, err := g.ID(row); err == nil { // a dropped row has none
				l.ID = &id
			}
		}
		for _, n := range list {
			l.Neighbors.IDs = append(l.Neighbors.IDs, int64(n.Row))
			l.Neighbors.Distances = append(l.Neighbors.Distances, n.Distance)
		}
		if batch = append(batch, l); len(batch) == writeRows {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := it.Err(); err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	return out.Close()
}
