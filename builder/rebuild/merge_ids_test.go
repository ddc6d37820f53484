package rebuild_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store/living"
)

// TestMergeOfSameIDs: stores that have an id in common, or rows with ids and rows without, are refused, by the
// stores' names, before anything is written. Ids of dead rows are free.
func TestMergeOfSameIDs(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, first := range map[string]int{"a": 0, "b": 1000, "c": 1089} {
		data, ids := rowsOf(90, first)
		build(t, path(name), data, ids, builder.Options{K: 3})
	}
	refused := func(want string, names ...string) {
		t.Helper()
		for i := range names {
			names[i] = path(names[i])
		}
		_, err := rebuild.Merge(t.Context(), path("all"), 0, names, rebuild.Options{})
		if !errors.Is(err, rebuild.ErrMerge) || !strings.Contains(strings.ReplaceAll(err.Error(), dir, ""), want) {
			t.Errorf("%v: %v, want %q", names, err, want)
		}
		if _, err := os.Lstat(path("all")); err == nil {
			t.Fatalf("%v: a store was begun", names)
		}
	}
	refused(`/b and /c both have the id "id 1089": ids of merged graphs must differ`, "a", "b", "c")
	refused(`/a and /a both have the id`, "a", "a")
	update := func(name string, fn func(*living.Tx) error) {
		t.Helper()
		db, err := living.Open(path(name), nil)
		must(t, err)
		must(t, errors.Join(db.Update(fn), db.Close()))
	}
	update("b", func(tx *living.Tx) error { return tx.Delete("id 1089") })
	_, err := rebuild.Merge(t.Context(), path("whole"), 0, []string{path("a"), path("b"), path("c")}, rebuild.Options{})
	must(t, err)
	update("b", func(tx *living.Tx) error { _, err := tx.Put("", []float32{1, 2, 3, 4}); return err })
	refused("of the rows of /b 89 have ids and 1, row 90 first, have none", "a", "b")
	update("b", func(tx *living.Tx) error {
		_, err := tx.Put("id 5", []float32{1, 2, 3, 4})
		return errors.Join(err, tx.DeleteRow(90))
	})
	refused(`/a and /b both have the id "id 5"`, "a", "b")
}
