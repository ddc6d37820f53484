package export

import (
	"bufio"
	"fmt"

	"github.com/knng/knng/store"
)

// Named is a [Graph] whose rows have external ids; *store.Store is one.
type Named interface {
	// ID returns the external id of a row, or an error where there are none.
	ID(row store.Row) (string, error)
}

// ids writes a line for every row: its external id, as builds read them.
func (x *exporter) ids(w *bufio.Writer) error {
	named, ok := x.Graph.(Named)
	if !ok {
		return fmt.Errorf("a graph of type %T has no external ids, which format ids writes", x.Graph)
	}
	for row := range x.Len() {
		id, err := named.ID(store.Row(row))
		if err != nil {
			return err
		}
		w.WriteString(id)
		w.WriteByte('\n')
		if err := failed(w); err != nil {
			return err
		}
	}
	return nil
}
