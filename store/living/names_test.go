package living_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors"
)

// TestNulIDs: an id of a store that was built may look like the name that a base has for a row without id, of that
// row or of another; both are told apart before and after compactions.
func TestNulIDs(t *testing.T) {
	const n = 10
	ids := []string{"\x000", "\x0010", "\x00", "\x00\x004", "\x00x", "a", "b", "c", "d", "e"}
	rows, err := vectors.FromFloat32(make([]float32, 2*n), 2)
	must(t, err)
	dir := filepath.Join(t.TempDir(), "g")
	_, err = builder.Build(t.Context(), dir, vectors.NewInput(rows), builder.Options{K: 2, Names: slices.Values(ids)})
	must(t, err)
	db := open(t, dir)
	must(t, db.Update(func(tx *living.Tx) error {
		_, err := tx.Put("", []float32{1, 1})
		return err
	}))
	for range 3 {
		v := view(t, db)
		for row, want := range append(ids, "") {
			id, err := v.ID(store.Row(row))
			must(t, err)
			at, err := v.RowOf(want)
			if want == "" && errors.Is(err, living.ErrNoID) {
				at, err = store.Row(row), nil
			}
			if id != want || err != nil || at != store.Row(row) {
				t.Errorf("row %d has the id %q, want %q, which row %d has: %v", row, id, want, at, err)
			}
		}
		must(t, db.Update(func(tx *living.Tx) error { // so that there is something to compact
			row, err := tx.Put("", []float32{2, 2})
			return errors.Join(err, tx.DeleteRow(row))
		}))
		compact(t, db, 0)
	}
}
