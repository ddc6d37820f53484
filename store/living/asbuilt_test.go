package living_test

import (
	"errors"
	"testing"

	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	lookups "github.com/knng/knng/store/reader"
)

// TestOpenAsBuilt: packages store and reader open a store as long as nothing was written to it. From then on they
// refuse it, in other words than a folder that is no store, before and after a compaction.
func TestOpenAsBuilt(t *testing.T) {
	dir, _ := builtStore(t, 60, 4)
	opens := func(when string, want error) {
		t.Helper()
		s, err := store.Open(dir, nil)
		if err == nil {
			err = s.Close()
		}
		if !errors.Is(err, want) || errors.Is(err, store.ErrNotStore) {
			t.Errorf("%s: store.Open: %v, want %v", when, err, want)
		}
		r, err := lookups.Open(dir)
		if err == nil {
			err = r.Close()
		}
		if !errors.Is(err, want) || errors.Is(err, lookups.ErrNotStore) {
			t.Errorf("%s: reader.Open: %v, want %v", when, err, want)
		}
	}
	opens("built", nil)
	db, err := living.Open(dir, nil)
	fine(t, err)
	defer db.Close()
	opens("opened for writing", nil)
	fine(t, db.Update(func(tx *living.Tx) error { return tx.DeleteRow(0) }))
	opens("a row is deleted", store.ErrLiving)
	s, err := store.Open(dir, &store.Options{AsBuilt: true})
	fine(t, err)
	if s.Len() != 60 {
		t.Errorf("as it was built it has %d rows", s.Len())
	}
	fine(t, s.Close())
	fine(t, rebuild.Compact(t.Context(), db, rebuild.Options{}))
	opens("compacted", store.ErrLiving)
}
