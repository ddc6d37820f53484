package living_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
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
	"github.com/knng/knng/vectors/distance"
)

// builtStore builds a store of n float32 rows, and returns these.
func builtStore(t *testing.T, n, dim int) (dir string, rows [][]float32) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), 5))
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = float32(rng.NormFloat64())
	}
	for i := range n {
		rows = append(rows, data[i*dim:(i+1)*dim])
	}
	in, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "g")
	if _, err := builder.Build(t.Context(), dir, vectors.NewInput(in), builder.Options{K: 8, Threads: 1}); err != nil {
		t.Fatal(err)
	}
	return dir, rows
}

func open(t *testing.T, dir string) *living.DB {
	t.Helper()
	db, err := living.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func view(t *testing.T, db *living.DB) *living.View {
	t.Helper()
	v, err := db.View()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

func compact(t *testing.T, db *living.DB, recall float64) {
	t.Helper()
	if err := rebuild.Compact(t.Context(), db, rebuild.Options{Recall: recall, Threads: 1}); err != nil {
		t.Fatal(err)
	}
}

// TestFewLive: of many rows 99 of 100 are dead, and there are k results and whole lists.
func TestFewLive(t *testing.T) {
	dir, rows := builtStore(t, 1000, 6)
	db := open(t, dir)
	err := db.Update(func(tx *living.Tx) error {
		for i := range rows {
			if i%100 != 7 {
				if err := tx.DeleteRow(store.Row(i)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	v := view(t, db)
	for i := 7; i < len(rows); i += 100 {
		found, err := v.Search(rows[i], living.Query{K: 10})
		if err != nil || len(found) != 10 || found[0].Row != store.Row(i) {
			t.Fatalf("%v, %v, want 10 with row %d first", found, err, i)
		}
		list, err := v.Neighbors(store.Row(i), nil)
		if err != nil || len(list) != 8 {
			t.Fatalf("a list of %d, %v, want 8", len(list), err)
		}
	}
}

// TestOneTransaction: an id that is put twice, deleted and put, put and deleted in one
// transaction, here and when the store is opened anew.
func TestOneTransaction(t *testing.T) {
	dir, rows := builtStore(t, 20, 3)
	db := open(t, dir)
	put := func(tx *living.Tx, id string, i int) { t.Helper(); must(t, second(tx.Put(id, rows[i]))) }
	must(t, db.Update(func(tx *living.Tx) error {
		put(tx, "twice", 1)
		put(tx, "twice", 2)
		put(tx, "gone", 3)
		must(t, tx.Delete("gone"))
		if err := tx.Delete("gone"); !errors.Is(err, living.ErrNoID) {
			t.Errorf("deleted twice: %v", err)
		}
		put(tx, "back", 4)
		must(t, tx.Delete("back"))
		put(tx, "back", 5)
		return nil
	}))
	look := func(v *living.View) {
		t.Helper()
		if v.Len() != 22 {
			t.Errorf("%d rows, want 22", v.Len())
		}
		for id, want := range map[string]store.Row{"twice": 21, "back": 24} {
			if row, err := v.RowOf(id); err != nil || row != want {
				t.Errorf("%s is row %d, %v, want %d", id, row, err, want)
			}
		}
		if _, err := v.RowOf("gone"); !errors.Is(err, living.ErrNoID) {
			t.Errorf("gone: %v", err)
		}
	}
	look(view(t, db))
	must(t, db.Close())
	again := open(t, dir)
	look(view(t, again))
	compact(t, again, 0)
	look(view(t, again))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestGone: after a compaction no file has the bytes of a deleted vector, or its id.
func TestGone(t *testing.T) {
	dir, rows := builtStore(t, 60, 40)
	db := open(t, dir)
	must(t, db.Update(func(tx *living.Tx) error { return second(tx.Put("a secret name", rows[3])) }))
	must(t, db.Update(func(tx *living.Tx) error {
		return errors.Join(tx.Delete("a secret name"), tx.DeleteRow(3), tx.DeleteRow(50))
	}))
	var bytesOf [][]byte
	for _, row := range []int{3, 50, 4} {
		b := make([]byte, 160)
		must(t, vectors.Encode(vectors.Float32, rows[row], b))
		bytesOf = append(bytesOf, b)
	}
	bytesOf = append(bytesOf, []byte("a secret name"))
	if found := grep(t, dir, bytesOf); found[0] != 2 || found[2] != 1 || found[3] == 0 {
		t.Fatalf("before the compaction found %v times", found)
	}
	compact(t, db, 0)
	if found := grep(t, dir, bytesOf); found[0] != 0 || found[1] != 0 || found[2] != 1 || found[3] != 0 {
		t.Errorf("after the compaction found %v times", found)
	}
	if _, err := os.Stat(filepath.Join(dir, "SEAL")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the first base is still there: %v", err)
	}
	if _, err := store.Open(dir, nil); !errors.Is(err, store.ErrLiving) || !strings.Contains(err.Error(), "living") {
		t.Errorf("opened as a store: %v", err)
	}
}

// TestGoneIDs: the catalog of the store that was built, which has the ids of all rows, goes with it.
func TestGoneIDs(t *testing.T) {
	dir, _ := builtIDs(t, 60, 4)
	must(t, os.WriteFile(filepath.Join(dir, "catalog.new"), []byte("of a kill: id 17"), 0o666))
	db := open(t, dir)
	must(t, db.Update(func(tx *living.Tx) error { return tx.Delete("id 17") }))
	ids := [][]byte{[]byte("id 17"), []byte("id 18")}
	if found := grep(t, dir, ids); found[0] < 2 || found[1] == 0 {
		t.Fatalf("before the compaction found %v times", found)
	}
	compact(t, db, 0)
	if found := grep(t, dir, ids); found[0] != 0 || found[1] == 0 {
		t.Errorf("after the compaction found %v times", found)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("beside living there are %v, %v", names, err)
	}
}

// grep counts the files that hold each of some bytes.
func grep(t *testing.T, dir string, wanted [][]byte) []int {
	found := make([]int, len(wanted))
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for i, w := range wanted {
			if bytes.Contains(data, w) {
				found[i]++
			}
		}
		return err
	}))
	return found
}

// TestBatches: the same operations in other transactions, with other interruptions and readers
// meanwhile, make the same graph.
func TestBatches(t *testing.T) {
	var want string
	for try := range 3 {
		dir, rows := builtStore(t, 80, 4)
		rng := rand.New(rand.NewPCG(uint64(try), 1))
		db := open(t, dir)
		var pending []func(tx *living.Tx) error
		flush := func() {
			must(t, db.Update(func(tx *living.Tx) error {
				for _, op := range pending {
					if err := op(tx); err != nil {
						return err
					}
				}
				return nil
			}))
			pending = nil
		}
		for i := range 60 {
			pending = append(pending, func(tx *living.Tx) error {
				if i%3 == 0 {
					return tx.DeleteRow(store.Row(i))
				}
				v := append([]float32{float32(i)}, rows[i][1:]...)
				return second(tx.Put("id "+strconv.Itoa(i%17), v))
			})
			if rng.IntN(1+5*try) == 0 {
				flush()
			}
			if rng.IntN(20) == 0 {
				flush()
				must(t, db.Close())
				db = open(t, dir)
			}
		}
		flush()
		compact(t, db, 0)
		v := view(t, db)
		content, err := v.Content(t.Context())
		must(t, err)
		if got := content.String() + v.Base().Info().Checksum; want == "" {
			want = got
		} else if got != want {
			t.Errorf("other batches: %s, want %s", got, want)
		}
		must(t, db.Close())
	}
}

// TestInterrupted: a compaction that is stopped goes on where it was, in another process's
// time too, while rows are put and deleted.
func TestInterrupted(t *testing.T) {
	dir, rows := builtStore(t, 100, 4)
	db := open(t, dir)
	must(t, db.Update(func(tx *living.Tx) error { return errors.Join(second(tx.Put("x", rows[0])), tx.DeleteRow(5)) }))
	stopped := errors.New("stopped")
	if err := db.Compact(t.Context(), "", func(context.Context, living.Job) error { return stopped }); !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	must(t, db.Update(func(tx *living.Tx) error {
		return errors.Join(second(tx.Put("x", rows[1])), tx.DeleteRow(6), second(tx.Put("y", rows[2])))
	}))
	if !view(t, db).State().Unended {
		t.Error("nothing says that a compaction was begun")
	}
	before, err := view(t, db).Content(t.Context())
	must(t, err)
	must(t, db.Close())
	db = open(t, dir)
	compact(t, db, 0)
	v := view(t, db)
	after, err := v.Content(t.Context())
	if st := v.State(); err != nil || after != before || st.Pending != 0 || st.Dead != 0 || st.Rows != 100 {
		t.Errorf("%+v, content %v, before %v, %v", st, after, before, err)
	}
	if row, err := v.RowOf("x"); err != nil || row != 101 {
		t.Errorf("x is row %d, %v, want 101", row, err)
	}
}

// TestMeanwhile: rows are put and deleted while a compaction builds.
func TestMeanwhile(t *testing.T) {
	dir, rows := builtStore(t, 100, 4)
	db := open(t, dir)
	must(t, db.Update(func(tx *living.Tx) error { return errors.Join(second(tx.Put("x", rows[0])), tx.DeleteRow(5)) }))
	old := view(t, db)
	err := db.Compact(t.Context(), "", func(ctx context.Context, job living.Job) error {
		if job.K != 16 || job.Rows.Len() != 100 {
			t.Errorf("lists of %d over %d rows", job.K, job.Rows.Len())
		}
		must(t, db.Update(func(tx *living.Tx) error {
			return errors.Join(second(tx.Put("x", rows[1])), tx.DeleteRow(7), second(tx.Put("y", rows[2])))
		}))
		if err := db.Compact(ctx, "", nil); !errors.Is(err, living.ErrBusy) {
			t.Errorf("a second compaction: %v", err)
		}
		_, err := builder.Build(ctx, job.Dir, vectors.NewInput(job.Rows), builder.Options{K: job.K, IDs: job.IDs, Threads: 1})
		return err
	})
	must(t, err)
	v := view(t, db)
	if st := v.State(); st.Rows != 100 || st.Pending != 2 || st.Dead != 2 {
		t.Errorf("%+v", st)
	}
	if row, err := v.RowOf("x"); err != nil || row != 101 || v.Has(7) || v.Has(5) {
		t.Errorf("x is row %d, %v", row, err)
	}
	if row, err := old.RowOf("x"); err != nil || row != 100 || !old.Has(7) {
		t.Errorf("before, x is row %d, %v", row, err)
	}
	if found, err := old.Search(rows[7], living.Query{K: 1}); err != nil || found[0].Row != 7 {
		t.Errorf("the old view finds %v, %v", found, err)
	}
	must(t, old.Close())
}

// TestBadVectors: what is no row of the store is refused, and the transaction can go on.
func TestBadVectors(t *testing.T) {
	dir, rows := builtStore(t, 10, 3)
	db := open(t, dir)
	nan := float32(0)
	nan /= nan
	must(t, db.Update(func(tx *living.Tx) error {
		for _, v := range [][]float32{{1, 2}, {1, 2, nan}, {1e30, 0, 0}, nil} {
			if _, err := tx.Put("a", v); !errors.Is(err, living.ErrVector) {
				t.Errorf("%v: %v", v, err)
			}
		}
		for _, id := range []string{"a\nb", "a\r", "\ufeffa", "\x00a", "\xff", strings.Repeat("a", 4097)} {
			if _, err := tx.Put(id, rows[0]); !errors.Is(err, living.ErrID) {
				t.Errorf("%q: %v", id, err)
			}
		}
		return second(tx.Put("fine", rows[0]))
	}))
	if v := view(t, db); v.Len() != 11 {
		t.Errorf("%d rows", v.Len())
	}
	if _, err := view(t, db).Search([]float32{1}, living.Query{K: 1}); !errors.Is(err, search.ErrQuery) {
		t.Errorf("a short query: %v", err)
	}
	full, err := living.Open(filepath.Join(t.TempDir(), "new"), &living.Options{Create: &living.Shape{Dim: 3, Type: vectors.Uint8}, Tail: 2})
	must(t, err)
	defer full.Close()
	err = full.Update(func(tx *living.Tx) error {
		if _, err := tx.Put("a", []float32{0.5, 1, 2}); !errors.Is(err, living.ErrVector) {
			t.Errorf("half a byte: %v", err)
		}
		for i := range 3 {
			if _, err := tx.Put("", []float32{1, 2, float32(i)}); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, living.ErrFull) || view(t, full).Len() != 0 {
		t.Errorf("a full tail: %v", err)
	}
}

// TestRoundedVectors: rows that have no direction once they are rounded are refused: they had NaN for a distance
// from all others, came first in every list, and no compaction took them.
func TestRoundedVectors(t *testing.T) {
	for _, metric := range []distance.Metric{distance.Cosine, distance.Correlation} {
		for _, typ := range []vectors.Type{vectors.Float16, vectors.Float32} {
			_, db := created(t, living.Shape{Dim: 3, Type: typ, Metric: metric, K: 3})
			must(t, db.Update(func(tx *living.Tx) error {
				for i := range 9 {
					must(t, second(tx.Put("", []float32{float32(i), 2, 7})))
				}
				for _, v := range [][]float32{{1, 1.00001, 1}, {1e-45, 0, 0}, {1e-9, 1e-9, 1e-9}, {4096, 4097, 4096}} {
					if _, err := tx.Put("", v); err != nil && !errors.Is(err, living.ErrVector) {
						t.Errorf("%v of %v: %v", v, typ, err)
					}
				}
				return nil
			}))
			v := view(t, db)
			for row := range v.Rows() {
				list, err := v.Neighbors(row, nil)
				if err != nil || len(list) != 3 {
					t.Errorf("%v of %v: row %d has %v, %v", metric, typ, row, list, err)
				}
				for _, n := range list {
					if n.Distance != n.Distance {
						t.Errorf("%v of %v: row %d has %v", metric, typ, row, list)
					}
				}
			}
			compact(t, db, 0)
		}
	}
}

// TestTooFar: a query whose distances float32 does not hold is refused.
func TestTooFar(t *testing.T) {
	db, err := living.Open(filepath.Join(t.TempDir(), "g"), &living.Options{Create: &living.Shape{Dim: 2}})
	must(t, err)
	defer db.Close()
	must(t, db.Update(func(tx *living.Tx) error {
		_, err := tx.Put("", []float32{1, 2})
		return errors.Join(err, second(tx.Put("", []float32{3, 4})))
	}))
	compact(t, db, 0)
	for range 2 {
		if found, err := view(t, db).Search([]float32{1e30, 1e30}, living.Query{K: 2}); !errors.Is(err, search.ErrQuery) {
			t.Errorf("%v, %v", found, err)
		}
		must(t, db.Update(func(tx *living.Tx) error { return second(tx.Put("", []float32{5, 6})) }))
	}
}

// TestPutFarAway: a query that is too far from the rows of a graph finds rows that were put at distances that float32 holds, where
// these are as many as it wants, also of integrated rows.
func TestPutFarAway(t *testing.T) {
	dir, _ := builtStore(t, 100, 8)
	db, err := living.Open(dir, new(living.Options).Chunk(5))
	must(t, err)
	defer db.Close()
	at := func(x float32) (v []float32) {
		for range 8 {
			v = append(v, x)
		}
		return v
	}
	must(t, db.Update(func(tx *living.Tx) (err error) {
		for i := range 7 {
			err = errors.Join(err, second(tx.Put("", at(2e18+1e17*float32(i)))))
		}
		return err
	}))
	for range 2 {
		v := view(t, db)
		for _, exact := range []bool{true, false} {
			found, err := v.Search(at(7e18), living.Query{K: 3, Exact: exact})
			if err != nil || len(found) != 3 || found[0].Row != 106 || found[2].Row != 104 {
				t.Errorf("%v, %v", found, err)
			}
			for _, q := range []living.Query{{K: 8, Exact: exact}, {Within: search.Distance(float32(math.Inf(1))), Exact: exact}} {
				if found, err := v.Search(at(7e18), q); !errors.Is(err, search.ErrQuery) {
					t.Errorf("%+v: %v, %v", q, found, err)
				}
			}
			if found, err := v.Search(at(7e18), living.Query{K: 8, Within: search.Distance(1.9e19), Exact: exact}); err != nil || len(found) != 7 {
				t.Errorf("%v, %v", found, err)
			}
		}
		must(t, db.Integrate(t.Context()))
	}
}

// TestStorm: readers and backups while rows are put and deleted.
func TestStorm(t *testing.T) {
	dir, rows := builtStore(t, 200, 4)
	db := open(t, dir)
	reader, err := living.OpenReader(dir, nil)
	must(t, err)
	var wg sync.WaitGroup
	stop := make(chan bool)
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			err := db.Update(func(tx *living.Tx) error { // of each pair both or none
				a, b := "a "+strconv.Itoa(i%50), "b "+strconv.Itoa(i%50)
				return errors.Join(second(tx.Put(a, rows[i%200])), second(tx.Put(b, rows[i%200])))
			})
			if err != nil {
				t.Error(err)
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
	pairs := func(v *living.View, what string) {
		a, b := 0, 0
		for row := range v.Rows() {
			switch id, err := v.ID(row); {
			case err != nil:
				t.Error(err)
			case strings.HasPrefix(id, "a"):
				a++
			case strings.HasPrefix(id, "b"):
				b++
			}
		}
		if a != b || a+b+200 != v.Len() {
			t.Errorf("%s has %d and %d of %d rows", what, a, b, v.Len())
		}
	}
	for i := range 8 {
		v, err := db.View()
		must(t, err)
		pairs(v, "a view")
		to := filepath.Join(t.TempDir(), "b")
		must(t, v.Backup(t.Context(), to))
		must(t, v.Close())
		b := open(t, to)
		pairs(view(t, b), "a backup")
		next, err := reader.Refresh()
		must(t, err)
		must(t, reader.Close())
		reader = next
		pairs(reader, "a reader")
		if _, err := reader.Search(rows[i], living.Query{K: 5}); err != nil {
			t.Error(err)
		}
		if i == 4 {
			compact(t, db, 0)
		}
	}
	close(stop)
	wg.Wait()
	must(t, reader.Close())
}

// TestBackupSearches: a backup has the links and codes of search, and makes none.
func TestBackupSearches(t *testing.T) {
	dir, rows := builtStore(t, 2000, 16)
	o := &living.ReadOptions{Search: &search.Options{Budget: 14 * 2000}} // which holds codes, and no rows
	v, err := living.OpenReader(dir, o)
	must(t, err)
	defer v.Close()
	if s := v.Searcher().State(); s.Codes == 0 || !s.CodesFrom.Kept {
		t.Fatalf("%+v: want codes that are kept", s)
	}
	to := filepath.Join(t.TempDir(), "b")
	must(t, v.Backup(t.Context(), to))
	b, err := living.OpenReader(to, o)
	must(t, err)
	defer b.Close()
	if s := b.Searcher().State(); !s.Kept || s.Made || !s.CodesFrom.Kept || s.CodesFrom.Made {
		t.Errorf("%+v: want links and codes that were there", s)
	}
	found, err := b.Search(rows[5], living.Query{K: 3})
	if err != nil || found[0].Row != 5 {
		t.Errorf("%v, %v, want row 5 first", found, err)
	}
}

const childEnv = "KNNG_LIVING_CHILD"

// TestChild is the process that TestKilled kills.
func TestChild(t *testing.T) {
	dir := os.Getenv(childEnv)
	if dir == "" {
		t.Skip("runs in a process of its own")
	}
	db, err := living.Open(dir, nil)
	if errors.Is(err, living.ErrLocked) {
		fmt.Println("locked")
		return
	}
	must(t, err)
	start := view(t, db).State().NextRow
	if start%3 == 0 {
		go rebuild.Compact(context.Background(), db, rebuild.Options{Threads: 1})
	}
	for i := start; ; i++ {
		must(t, db.Update(func(tx *living.Tx) error {
			return second(tx.Put(living.Int(int64(i)), []float32{float32(i), 1, 2, 3}))
		}))
		fmt.Println("put", i)
	}
}

func child(t *testing.T, dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run", "^TestChild$")
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	return cmd
}

// TestKilled kills a process that writes, again and again: what it had promised is there, and
// the next one can write. Another writer meanwhile finds the store locked.
func TestKilled(t *testing.T) {
	dir, _ := builtStore(t, 50, 4)
	n := 6
	if testing.Short() {
		n = 2
	}
	next := uint64(50)
	for round := range n {
		cmd := child(t, dir)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for range 20 + 7*round {
			if !lines.Scan() {
				t.Fatal("the process ended")
			}
			if _, err := fmt.Sscanf(lines.Text(), "put %d", &next); err != nil {
				t.Fatalf("line %q", lines.Text())
			}
		}
		if _, err := living.Open(dir, nil); !errors.Is(err, living.ErrLocked) {
			t.Errorf("a second writer: %v", err)
		}
		if round == 0 {
			if out, err := child(t, dir).Output(); err != nil || !strings.HasPrefix(string(out), "locked") {
				t.Errorf("a second process: %q, %v", out, err)
			}
		}
		must(t, cmd.Process.Kill())
		for lines.Scan() {
			fmt.Sscanf(lines.Text(), "put %d", &next)
		}
		cmd.Wait()
		began := time.Now()
		db := open(t, dir)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("opening took %v", took)
		}
		v := view(t, db)
		if got := v.State().NextRow; got < next+1 || got > next+2 || v.Len() != int(got) {
			t.Errorf("next row %d, %d rows, want %d", got, v.Len(), next+1)
		}
		for i := uint64(50); i <= next; i++ {
			if row, err := v.RowOf(living.Int(int64(i))); err != nil || uint64(row) != i {
				t.Fatalf("id %d is row %d, %v", i, row, err)
			}
		}
		must(t, v.Close())
		must(t, db.Close())
	}
}

// TestUntouched: a store that was built, and opened for writing in vain, is one that was built; a
// view that is open meanwhile keeps its files.
// TestWithin: the base of a store is not written to as a store of its own, which a compaction would remove.
func TestWithin(t *testing.T) {
	dir, _ := builtStore(t, 60, 4)
	db := open(t, dir)
	must(t, db.Update(func(tx *living.Tx) error { return tx.DeleteRow(3) }))
	compact(t, db, 0)
	v := view(t, db)
	base := v.State().Base
	if _, err := living.Open(base, nil); !errors.Is(err, living.ErrWithin) || !strings.Contains(err.Error(), dir) {
		t.Errorf("%s: %v, want %v and %s", base, err, living.ErrWithin, dir)
	}
	r, err := living.OpenReader(base, nil)
	must(t, err)
	must(t, r.Close())
}

// TestUntouched: a store that was opened for writing in vain stays as it was built.
func TestUntouched(t *testing.T) {
	dir, rows := builtStore(t, 60, 4)
	db := open(t, dir)
	if living.Is(dir) {
		t.Error("written to, though it is only open for writing")
	}
	if err := db.Update(func(tx *living.Tx) error { _, err := tx.Put("", make([]float32, 3)); return err }); err == nil {
		t.Fatal("a vector of another dimension was put")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if living.Is(dir) {
		t.Error("living after it was opened in vain")
	}

	db = open(t, dir)
	v, err := db.View()
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	if err := v.Backup(t.Context(), filepath.Join(t.TempDir(), "copy")); err != nil {
		t.Error(err)
	}
	v.Close()

	db = open(t, dir)
	reader, err := living.OpenReader(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	db.Close()
	db = open(t, dir) // other files, which the reader must not take for those that it has
	if err := db.Update(func(tx *living.Tx) error { _, err := tx.Put("", rows[3]); return err }); err != nil {
		t.Fatal(err)
	}
	now, err := reader.Refresh()
	if err != nil || now.Len() != len(rows)+1 {
		t.Fatalf("a reader from before finds %v, want %d rows: %v", now, len(rows)+1, err)
	}
	now.Close()
	db.Close()
	if !living.Is(dir) {
		t.Error("a store that was written to is forgotten")
	}
}

// TestHostile: whatever stands in the folder of a living store, there is an error and no more.
func TestHostile(t *testing.T) {
	dir, rows := builtStore(t, 30, 3)
	db := open(t, dir)
	must(t, db.Update(func(tx *living.Tx) error { return errors.Join(second(tx.Put("x", rows[0])), tx.DeleteRow(5)) }))
	compact(t, db, 0)
	must(t, db.Update(func(tx *living.Tx) error { return errors.Join(second(tx.Put("y", rows[0])), tx.DeleteRow(6)) }))
	must(t, db.Close())
	names, err := filepath.Glob(filepath.Join(dir, "living", "*"))
	must(t, err)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, path := range names {
		data, err := os.ReadFile(path)
		if err != nil || len(data) == 0 || filepath.Base(path) == "lock" {
			continue
		}
		for range 40 {
			bad := append([]byte(nil), data...)
			switch rng.IntN(3) {
			case 0:
				bad = bad[:rng.IntN(len(bad))]
			case 1:
				bad[rng.IntN(len(bad))] ^= byte(1 + rng.IntN(255))
			default:
				if at := rng.IntN(len(bad)); at+8 <= len(bad) {
					binary.LittleEndian.PutUint64(bad[at:], rng.Uint64())
				}
			}
			must(t, os.WriteFile(path, bad, 0o666))
			v, err := living.OpenReader(dir, nil)
			if err == nil {
				if !bytes.Equal(bad, data) && v.Len() != 30 && !strings.Contains(path, "log-") {
					t.Errorf("%s changed: %d rows", path, v.Len())
				}
				v.Close()
			} else if !errors.Is(err, living.ErrCorrupt) && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s changed: %v", path, err)
			}
			must(t, os.WriteFile(path, data, 0o666))
		}
		must(t, os.Remove(path))
		must(t, os.Symlink("/dev/zero", path))
		if v, err := living.OpenReader(dir, nil); err == nil {
			t.Errorf("%s is a link, and the store opens", path)
			v.Close()
		}
		must(t, os.Remove(path))
		must(t, os.WriteFile(path, data, 0o666))
	}
}

// TestOffsets: rows that are put are float32, and would not match a base whose float64 rows are
// held less an offset: such a store is refused.
func TestOffsets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g")
	rng := rand.New(rand.NewPCG(1, 1))
	rows := wideRows{}
	for range 300 {
		rows = append(rows, [2]float64{4.6e6 + rng.Float64(), 5e5 + rng.Float64()})
	}
	if _, err := builder.Build(t.Context(), dir, vectors.NewInput(rows), builder.Options{K: 5}); err != nil {
		t.Fatal(err)
	}
	if _, err := living.Open(dir, nil); !errors.Is(err, living.ErrOffsets) {
		t.Errorf("error %v, want ErrOffsets", err)
	}
}

// wideRows is a source of float64 rows.
type wideRows [][2]float64

func (w wideRows) Len() int           { return len(w) }
func (w wideRows) Dim() int           { return 2 }
func (w wideRows) Type() vectors.Type { return vectors.Float32 }
func (w wideRows) ReadRows(first int, dst []byte) error {
	for i := range len(dst) / 8 {
		vectors.Encode(vectors.Float32, []float32{float32(w[first+i][0]), float32(w[first+i][1])}, dst[8*i:8*i+8])
	}
	return nil
}
func (w wideRows) ReadWide(first int, dst []float64) error {
	for i := range len(dst) / 2 {
		dst[2*i], dst[2*i+1] = w[first+i][0], w[first+i][1]
	}
	return nil
}
