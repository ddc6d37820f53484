package living_test

import (
	"errors"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

// TestClosedView: a closed view refuses every call, also while another view has the same files open, and a view that
// is closed meanwhile ends a pass over its lists first.
func TestClosedView(t *testing.T) {
	dir, rows := builtStore(t, 100, 4)
	db := open(t, dir)
	must(t, db.Update(func(tx *living.Tx) error { return second(tx.Put("", rows[0])) }))
	queries, err := vectors.FromFloat32(rows[0], 4)
	must(t, err)
	theirs := reader(t, dir)
	for _, v := range []*living.View{view(t, db), theirs} {
		g, err := v.Graph()
		must(t, err)
		closed := make(chan error, 1)
		passed := 0
		must(t, g.EachKeyed(func(store.Row, []uint32, []float32) error {
			if passed++; passed == 1 {
				go func() { closed <- v.Close() }()
				for !errors.Is(second(v.RowOf("")), living.ErrClosed) {
					runtime.Gosched()
				}
			}
			if len(closed) > 0 {
				t.Error("Close did not wait")
			}
			return nil
		}))
		if err := errors.Join(<-closed, v.Close()); err != nil || passed != len(rows)+1 {
			t.Errorf("closed after %d lists: %v", passed, err)
		}
		q, ctx := living.Query{K: 3}, t.Context()
		backup := filepath.Join(t.TempDir(), "b")
		for name, err := range map[string]error{
			"Search":          second(v.Search(rows[0], q)),
			"SearchAll":       second(v.SearchAll(ctx, queries, q, 1)),
			"Only":            second(v.Only(nil)),
			"Neighbors":       second(v.Neighbors(3, nil)),
			"Vector":          second(v.Vector(3, nil)),
			"ID":              second(v.ID(3)),
			"RowOf":           second(v.RowOf("3")),
			"Content":         second(v.Content(ctx)),
			"EachRow":         v.EachRow(ctx, func(uint64, string, []byte) error { return nil }),
			"Controls":        second(v.Controls(ctx, 1)),
			"Graph":           second(v.Graph()),
			"Graph.Neighbors": second(g.Neighbors(3, nil)),
			"Graph.EachKeyed": g.EachKeyed(func(store.Row, []uint32, []float32) error { return nil }),
			"Backup":          v.Backup(ctx, backup),
			"Refresh":         second(v.Refresh()),
		} {
			if !errors.Is(err, living.ErrClosed) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, err := theirs.Searcher().Search(rows[0], search.Query{K: 3}); !errors.Is(err, living.ErrClosed) {
		t.Errorf("the searcher of a closed view: %v", err)
	}
}
