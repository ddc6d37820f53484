package living_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

func created(t *testing.T, shape living.Shape) (dir string, db *living.DB) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "g")
	db, err := living.Open(dir, &living.Options{Create: &shape})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return dir, db
}

func reader(t *testing.T, dir string) *living.View {
	t.Helper()
	v, err := living.OpenReader(dir, nil)
	must(t, err)
	t.Cleanup(func() { v.Close() })
	return v
}

// TestAllIDs: every id that a row may have names it in a transaction, in a view, after a compaction
// and in a merge: such as look like numbers, and such as a line of a file holds just so.
func TestAllIDs(t *testing.T) {
	ids := []string{"0", "7", "-1", "1e3", " ", "\t", "a\rb", "\ra", "a\x00b", "é😀", strings.Repeat("x", 4096), living.Int(1 << 62), "\"", "a,b", "../.."}
	dir, db := created(t, living.Shape{Dim: 2, K: 4})
	must(t, db.Update(func(tx *living.Tx) error {
		for i, id := range ids {
			if _, err := tx.Put(id, []float32{float32(i), 1}); err != nil {
				return err
			}
			if row, err := tx.RowOf(id); err != nil || row != store.Row(i) {
				t.Errorf("%q is row %d, %v in the transaction, want %d", id, row, err, i)
			}
		}
		return nil
	}))
	look := func(what string, v *living.View) {
		t.Helper()
		for i, id := range ids {
			row, err := v.RowOf(id)
			if back, failed := v.ID(row); err != nil || failed != nil || row != store.Row(i) || back != id {
				t.Errorf("%s: %.20q is row %d of id %.20q, %v %v, want %d", what, id, row, back, err, failed, i)
			}
		}
		if _, err := v.RowOf("1"); !errors.Is(err, living.ErrNoID) {
			t.Errorf("%s: row 1 has no id 1: %v", what, err)
		}
	}
	look("put", view(t, db))
	compact(t, db, 0)
	look("compacted", view(t, db))
	look("read", reader(t, dir))
	other, _ := builtIDs(t, 30, 2)
	merged := filepath.Join(t.TempDir(), "m")
	must(t, second(rebuild.Merge(t.Context(), merged, 0, []string{dir, other}, rebuild.Options{Threads: 1})))
	look("merged", reader(t, merged))
}

// TestBuiltIDs: ids of a store that was built which no row can be put under name their rows all the same,
// through deletes and compactions, beside rows without ids.
func TestBuiltIDs(t *testing.T) {
	var data []float32
	ids := []string{"\x00", "\x00a", "\x007", "\x00\x00", "a\x00"}
	for i := range 20 {
		data = append(data, float32(i), 1)
		if i >= len(ids) {
			ids = append(ids, "id "+strconv.Itoa(i))
		}
	}
	in, err := vectors.FromFloat32(data, 2)
	must(t, err)
	dir := filepath.Join(t.TempDir(), "g")
	must(t, second(builder.Build(t.Context(), dir, vectors.NewInput(in), builder.Options{K: 4, Threads: 1, Names: slices.Values(ids)})))
	db := open(t, dir)
	must(t, db.Update(func(tx *living.Tx) error {
		must(t, second(tx.Put("", []float32{3, 3})))
		return tx.Delete("\x00\x00")
	}))
	for _, stage := range []string{"put", "compacted", "compacted again"} {
		v := view(t, db)
		for i, id := range ids {
			if i == 3 {
				continue
			}
			row, err := v.RowOf(id)
			if back, failed := v.ID(store.Row(i)); err != nil || failed != nil || row != store.Row(i) || back != id {
				t.Errorf("%s: %q is row %d of id %q, %v %v, want %d", stage, id, row, back, err, failed, i)
			}
		}
		if id, err := v.ID(20); err != nil || id != "" {
			t.Errorf("%s: row 20 has id %q, %v", stage, id, err)
		}
		for _, id := range []string{"\x0020", "\x005", "\x00\x00", ""} {
			if row, err := v.RowOf(id); !errors.Is(err, living.ErrNoID) {
				t.Errorf("%s: %q is row %d, %v", stage, id, row, err)
			}
		}
		must(t, db.Update(func(tx *living.Tx) error { return second(tx.Put("more", []float32{3, 4})) }))
		compact(t, db, 0)
	}
}

// builtIDs is builtStore with the ids "id 0", "id 1", ...
func builtIDs(t *testing.T, n, dim int) (dir string, rows [][]float32) {
	t.Helper()
	var data []float32
	var ids []string
	for i := range n {
		ids = append(ids, "id "+strconv.Itoa(i))
		row := make([]float32, dim)
		for j := range row {
			row[j] = float32((i*7+j*13)%n) + float32(j)/8
		}
		rows, data = append(rows, row), append(data, row...)
	}
	in, err := vectors.FromFloat32(data, dim)
	must(t, err)
	dir = filepath.Join(t.TempDir(), "g")
	must(t, second(builder.Build(t.Context(), dir, vectors.NewInput(in), builder.Options{K: 4, Threads: 1, Names: slices.Values(ids)})))
	return dir, rows
}

// TestUpsertBuilt: rows of a store that was built are replaced twice, and deleted and put again, in
// one transaction.
func TestUpsertBuilt(t *testing.T) {
	dir, rows := builtIDs(t, 30, 3)
	db := open(t, dir)
	must(t, db.Update(func(tx *living.Tx) error {
		must(t, second(tx.Put("id 3", rows[10])))
		must(t, second(tx.Put("id 3", rows[11])))
		must(t, tx.Delete("id 4"))
		must(t, second(tx.Put("id 4", rows[12])))
		must(t, second(tx.Put("id 5", rows[13])))
		must(t, tx.Delete("id 5"))
		if err := tx.DeleteRow(5); !errors.Is(err, living.ErrNoRow) {
			t.Errorf("row 5 is replaced and deleted: %v", err)
		}
		return nil
	}))
	for _, stage := range []string{"put", "opened anew", "compacted"} {
		if stage == "opened anew" {
			must(t, db.Close())
			db = open(t, dir)
		} else if stage == "compacted" {
			compact(t, db, 0)
		}
		v := view(t, db)
		if v.Len() != 29 {
			t.Errorf("%s: %d rows, want 29", stage, v.Len())
		}
		for id, want := range map[string]int{"id 3": 11, "id 4": 12, "id 6": 6} {
			row, err := v.RowOf(id)
			must(t, err)
			if got, err := v.Vector(row, nil); err != nil || !slices.Equal(got, rows[want]) {
				t.Errorf("%s: %s is %v, %v, want %v", stage, id, got, err, rows[want])
			}
		}
		if _, err := v.RowOf("id 5"); !errors.Is(err, living.ErrNoID) {
			t.Errorf("%s: id 5: %v", stage, err)
		}
	}
}

// TestEmpty: a store without rows, which never had any or of which all are deleted, answers as
// one of no rows, is compacted and backed up, and takes rows again.
func TestEmpty(t *testing.T) {
	query, err := vectors.FromFloat32([]float32{1, 2, 3}, 3)
	must(t, err)
	look := func(what string, v *living.View) {
		t.Helper()
		set, err := v.Only([]store.Row{0, 5})
		must(t, err)
		for _, q := range []living.Query{{K: 5}, {K: 5, Exact: true}, {K: 5, Only: set}, {Within: search.Distance(1e9)}, {K: 5, Keep: func(store.Row) bool { return true }}} {
			if found, err := v.Search([]float32{1, 2, 3}, q); err != nil || len(found) != 0 {
				t.Errorf("%s: %+v finds %v, %v", what, q, found, err)
			}
		}
		all, err := v.SearchAll(t.Context(), query, living.Query{K: 3}, 2)
		if err != nil || len(all) != 1 || len(all[0]) != 0 {
			t.Errorf("%s: %v, %v", what, all, err)
		}
		if _, err := v.Neighbors(0, nil); !errors.Is(err, living.ErrNoRow) {
			t.Errorf("%s: a list: %v", what, err)
		}
		if est, err := rebuild.Recall(t.Context(), v, 10, 1, 1); err != nil || est.Sample != 0 {
			t.Errorf("%s: recall %+v, %v", what, est, err)
		}
		if est, err := rebuild.Controls(t.Context(), v, 1); err != nil || est.Sample != 0 {
			t.Errorf("%s: controls %+v, %v", what, est, err)
		}
		if v.Len() != 0 || v.Source().Len() != 0 {
			t.Errorf("%s: %d rows", what, v.Len())
		}
		to := filepath.Join(t.TempDir(), "b")
		must(t, v.Backup(t.Context(), to))
		if b := reader(t, to); b.Len() != 0 {
			t.Errorf("%s: a backup of %d rows", what, b.Len())
		}
	}
	refill := func(what string, db *living.DB) {
		t.Helper()
		must(t, db.Update(func(tx *living.Tx) error {
			for i := range 3 {
				must(t, second(tx.Put(living.Int(int64(i)), []float32{float32(i), 2, 3})))
			}
			return nil
		}))
		for range 2 {
			v := view(t, db)
			found, err := v.Search([]float32{2, 2, 3}, living.Query{K: 100})
			if err != nil || len(found) != 3 || found[0].Distance != 0 {
				t.Errorf("%s: %v, %v", what, found, err)
			}
			if list, err := v.Neighbors(found[0].Row, nil); err != nil || len(list) != 2 {
				t.Errorf("%s: list %v, %v", what, list, err)
			}
			compact(t, db, 0)
		}
	}
	_, db := created(t, living.Shape{Dim: 3})
	look("new", view(t, db))
	must(t, db.Integrate(t.Context()))
	compact(t, db, 0)
	look("new and compacted", view(t, db))
	refill("new", db)

	for _, early := range []bool{false, true} {
		dir, rows := builtStore(t, 40, 3)
		db := open(t, dir)
		before := view(t, db)
		must(t, db.Update(func(tx *living.Tx) error {
			for i := range rows {
				must(t, tx.DeleteRow(store.Row(i)))
			}
			return nil
		}))
		look("deleted", view(t, db))
		must(t, db.Integrate(t.Context()))
		if !early {
			compact(t, db, 0)
			look("compacted", view(t, db))
		}
		refill("deleted", db)
		if before.Len() != 40 {
			t.Errorf("the view of before has %d rows", before.Len())
		}
		must(t, db.Close())
		if v := reader(t, dir); v.Len() != 3 || v.State().NextRow != 43 {
			t.Errorf("read: %+v", v.State())
		}
	}
}

// TestManyWanted: more results and longer lists are wanted than there are rows.
func TestManyWanted(t *testing.T) {
	_, db := created(t, living.Shape{Dim: 2, K: 50})
	for n := 1; n <= 4; n++ {
		must(t, db.Update(func(tx *living.Tx) error {
			return second(tx.Put("", []float32{float32(n), 0}))
		}))
		for _, compacted := range []bool{false, true} {
			v := view(t, db)
			for _, q := range []living.Query{{K: 1000}, {K: 1 << 40, Effort: 1 << 40}, {K: n + 1, Exact: true}} {
				if found, err := v.Search([]float32{0, 0}, q); err != nil || len(found) != n {
					t.Errorf("%d rows, %+v: %v, %v", n, q, found, err)
				}
			}
			if list, err := v.Neighbors(0, nil); err != nil || len(list) != n-1 {
				t.Errorf("%d rows, compacted %v: list %v, %v", n, compacted, list, err)
			}
			compact(t, db, 0)
		}
	}
}

// A seenView is all that a reader may see of a view.
type seenView struct {
	rows    []store.Row
	vectors [][]float32
	ids     []string
	lists   [][]store.Neighbor
	found   []store.Neighbor
}

func seenIn(t *testing.T, v *living.View) (s seenView) {
	t.Helper()
	for row := range v.Rows() {
		vector, err := v.Vector(row, nil)
		must(t, err)
		id, err := v.ID(row)
		must(t, err)
		list, err := v.Neighbors(row, nil)
		must(t, err)
		s.rows, s.vectors, s.ids, s.lists = append(s.rows, row), append(s.vectors, vector), append(s.ids, id), append(s.lists, list)
	}
	var err error
	s.found, err = v.Search(s.vectors[0], living.Query{K: 10})
	must(t, err)
	return s
}

func (s seenView) equal(o seenView) bool {
	return slices.Equal(s.rows, o.rows) && slices.Equal(s.ids, o.ids) && slices.Equal(s.found, o.found) &&
		slices.EqualFunc(s.vectors, o.vectors, slices.Equal) && slices.EqualFunc(s.lists, o.lists, slices.Equal)
}

// TestOldSnapshot: views, of this process and of another, see the same before and after two
// compactions, with rows put, deleted and integrated between; then the old bases go.
func TestOldSnapshot(t *testing.T) {
	dir, rows := builtIDs(t, 600, 3)
	db := open(t, dir)
	change := func(round int) {
		must(t, db.Update(func(tx *living.Tx) error {
			for i := range 1100 {
				must(t, second(tx.Put("id "+strconv.Itoa((i+round*300)%600), rows[(i*3+round)%600])))
			}
			return tx.Delete("id " + strconv.Itoa(599-round))
		}))
		must(t, db.Integrate(t.Context()))
	}
	change(0)
	mine, err := db.View()
	must(t, err)
	theirs, err := living.OpenReader(dir, nil)
	must(t, err)
	want := seenIn(t, mine)
	for round := 1; round <= 2; round++ {
		change(round)
		compact(t, db, 0)
		for _, v := range []*living.View{mine, theirs} {
			if !seenIn(t, v).equal(want) {
				t.Errorf("another view after %d compactions", round)
			}
		}
	}
	next, err := theirs.Refresh()
	must(t, err)
	now, err := db.View()
	must(t, err)
	if !seenIn(t, next).equal(seenIn(t, now)) {
		t.Error("the reader refreshed sees another store")
	}
	must(t, errors.Join(mine.Close(), theirs.Close(), next.Close(), now.Close()))
	must(t, db.Update(func(tx *living.Tx) error { return tx.Delete("id 7") }))
	compact(t, db, 0)
	must(t, db.Close())
	open(t, dir)
	bases, err := filepath.Glob(filepath.Join(dir, "living", "base-*"))
	if _, old := os.Stat(filepath.Join(dir, "graph")); err != nil || len(bases) != 1 || !errors.Is(old, fs.ErrNotExist) {
		t.Errorf("bases %v and %v are left", bases, old)
	}
}

// TestCopied: a copy that is made file by file, while rows are put, is a store of whole
// transactions. One that is made while the store is compacted is that, or an error.
func TestCopied(t *testing.T) {
	for _, compacts := range []bool{false, true} {
		dir, rows := builtStore(t, 200, 4)
		db := open(t, dir)
		var wg sync.WaitGroup
		stop := make(chan bool)
		end := sync.OnceFunc(func() { close(stop); wg.Wait() })
		defer end()
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				err := db.Update(func(tx *living.Tx) error {
					return errors.Join(second(tx.Put("a"+strconv.Itoa(i), rows[i%200])), second(tx.Put("b"+strconv.Itoa(i), rows[i%200])))
				})
				time.Sleep(time.Millisecond)
				if err == nil && compacts && i%20 == 19 {
					err = rebuild.Compact(t.Context(), db, rebuild.Options{Threads: 1})
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
		whole := 0
		for range 4 {
			to := filepath.Join(t.TempDir(), "c")
			if err := os.CopyFS(to, os.DirFS(dir)); err != nil { // a file went meanwhile
				if !compacts {
					t.Error(err)
				}
				continue
			}
			for _, write := range []bool{false, true} {
				v, err := viewOf(to, write)
				if err != nil {
					if !compacts {
						t.Error(err)
					}
					continue
				}
				ids := map[string]int{}
				for row := range v.Rows() {
					id, err := v.ID(row)
					must(t, err)
					if id != "" {
						ids[id[1:]]++
					}
				}
				for id, n := range ids {
					if n != 2 {
						t.Errorf("transaction %s has %d rows, want 2", id, n)
					}
				}
				if sum, err := v.Content(t.Context()); err != nil || v.Len() != 200+2*len(ids) {
					t.Errorf("%d rows, %d transactions, %v %v", v.Len(), len(ids), sum, err)
				}
				whole++
				must(t, v.Close())
			}
		}
		end()
		if whole == 0 && !compacts {
			t.Error("no copy was whole")
		}
	}
}

// viewOf opens a store to read it, or after it was opened for writing.
func viewOf(dir string, write bool) (*living.View, error) {
	if write {
		db, err := living.Open(dir, nil)
		if err != nil {
			return nil, err
		}
		if err := db.Close(); err != nil {
			return nil, err
		}
	}
	return living.OpenReader(dir, nil)
}

// TestNoNumbers: vectors and queries with elements that are no numbers, or none of the type's, are
// refused by every way in, and nothing of them stays.
func TestNoNumbers(t *testing.T) {
	nan, inf := float32(0), float32(1)
	inf /= nan
	nan /= nan
	for _, typ := range []vectors.Type{vectors.Float32, vectors.Float16, vectors.Uint8, vectors.Int8} {
		_, db := created(t, living.Shape{Dim: 2, Type: typ})
		bad := [][]float32{{1, nan}, {inf, 1}, {-inf, nan}}
		if typ != vectors.Float32 {
			bad = append(bad, []float32{1, 70000}, []float32{-1e30, 0})
		}
		if typ == vectors.Uint8 {
			bad = append(bad, []float32{-1, 0}, []float32{0, 256}, []float32{0.5, 0})
		}
		must(t, db.Update(func(tx *living.Tx) error {
			must(t, second(tx.Put("a", []float32{1, 2})))
			for _, v := range bad {
				if row, err := tx.Put("a", v); !errors.Is(err, living.ErrVector) {
					t.Errorf("%v: %v is row %d, %v", typ, v, row, err)
				}
			}
			return nil
		}))
		v := view(t, db)
		if row, err := v.RowOf("a"); err != nil || row != 0 || v.Len() != 1 || v.State().NextRow != 1 {
			t.Errorf("%v: row %d, %v, %+v", typ, row, err, v.State())
		}
		for _, q := range [][]float32{{1, nan}, {inf, 1}} {
			if found, err := v.Search(q, living.Query{K: 1}); !errors.Is(err, search.ErrQuery) {
				t.Errorf("%v: query %v finds %v, %v", typ, q, found, err)
			}
		}
	}
}
