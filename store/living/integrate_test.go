package living_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/living/internal/disk"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// clustered makes n rows of 8 whole numbers around few centers.
func clustered(rng *rand.Rand, n int) [][]float32 {
	centers := make([][8]float64, 20)
	for i := range centers {
		for j := range centers[i] {
			centers[i][j] = 60 + 120*rng.Float64()
		}
	}
	rows := make([][]float32, n)
	for i := range rows {
		c := centers[rng.IntN(len(centers))]
		for j := range c {
			rows[i] = append(rows[i], float32(int(min(255, max(0, c[j]+12*rng.NormFloat64())))))
		}
	}
	return rows
}

// grown builds a graph of the first base rows and opens it.
func grown(t *testing.T, rows [][]float32, base int, o *living.Options) *living.DB {
	t.Helper()
	data := make([]byte, 0, 8*base)
	for _, r := range rows[:base] {
		for _, x := range r {
			data = append(data, byte(x))
		}
	}
	in, err := vectors.RowsOf(data, base, 8, 8, vectors.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "g")
	if _, err := builder.Build(t.Context(), dir, vectors.NewInput(in), builder.Options{K: 10, Recall: 0.97}); err != nil {
		t.Fatal(err)
	}
	db, err := living.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// TestIntegratedLists: after a third of the rows was put and some were deleted, without a
// compaction, lists of old rows and of new ones and searches find what a build finds, the
// controls know it, and no query is compared with rows that are integrated.
func TestIntegratedLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	rows := clustered(rng, 4000)
	o := new(living.Options).Chunk(200)
	o.Auto = true
	db := grown(t, rows, 3000, o)
	m := &model{metric: distance.Euclidean, k: 10, rows: map[uint64]entry{}, ids: map[string]uint64{}}
	for _, r := range rows[:3000] {
		m.put("", r)
	}
	for i := 3000; i < 4000; i += 20 {
		err := db.Update(func(tx *living.Tx) error {
			for _, r := range rows[i : i+20] {
				row, err := tx.Put("", r)
				if err != nil || uint64(row) != m.put("", r) {
					t.Fatalf("row %d: %v", row, err)
				}
			}
			live := slices.Sorted(maps.Keys(m.rows))
			for range 4 {
				row := live[rng.IntN(len(live))]
				if _, ok := m.rows[row]; ok {
					m.drop(row)
					if err := tx.DeleteRow(store.Row(row)); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	v, err := db.View()
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if st := v.State(); st.Pending != 0 || st.Layered < 900 {
		t.Fatalf("state %+v", st)
	}
	for name, from := range map[string]uint64{"old": 0, "new": 3000} {
		if got := mean(listRecalls(t, v, m, from)); got < 0.965 {
			t.Errorf("recall of lists of %s rows %v", name, got)
		}
	}
	controls, err := v.Controls(t.Context(), 2)
	if err != nil || len(controls) < 200 {
		t.Fatalf("%d controls, %v", len(controls), err)
	}
	if got, all := mean(controls), mean(listRecalls(t, v, m, 0)); got < all-0.02 || got > all+0.02 {
		t.Errorf("controls say %v, it is %v", got, all)
	}
	var queries [][]float32
	for _, r := range rows[:200] {
		q := slices.Clone(r)
		q[rng.IntN(8)] += 5
		queries = append(queries, q)
	}
	if got := searchRecall(t, v, queries); got < 0.97 {
		t.Errorf("recall of searches %v", got)
	}
}

// listRecalls are the recalls of some rows' lists, from a number on.
func listRecalls(t *testing.T, v *living.View, m *model, from uint64) (per []float64) {
	t.Helper()
	for row, e := range m.rows {
		if row < from || row%7 != 0 {
			continue
		}
		list, err := v.Neighbors(store.Row(row), nil)
		if err != nil {
			t.Fatal(err)
		}
		var exact []store.Neighbor
		for _, d := range m.nearest(e.vector, m.k, row) {
			exact = append(exact, store.Neighbor{Distance: float32(d)})
		}
		per = append(per, search.Recall(list, exact))
	}
	return per
}

func searchRecall(t *testing.T, v *living.View, queries [][]float32) float64 {
	t.Helper()
	var per []float64
	for _, q := range queries {
		found, err := v.Search(q, living.Query{K: 10})
		if err != nil {
			t.Fatal(err)
		}
		exact, err := v.Search(q, living.Query{K: 10, Exact: true})
		if err != nil {
			t.Fatal(err)
		}
		per = append(per, search.Recall(found, exact))
	}
	return mean(per)
}

// TestIslands: rows that are put far from all others, more than a list holds, are found.
func TestIslands(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	db := grown(t, clustered(rng, 1000), 1000, new(living.Options).Chunk(100))
	far := func() []float32 {
		v := make([]float32, 8)
		for i := range v {
			v[i] = float32(rng.IntN(8))
		}
		return v
	}
	err := db.Update(func(tx *living.Tx) error {
		for range 300 {
			if _, err := tx.Put("", far()); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = db.Integrate(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	v, err := db.View()
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	var queries [][]float32
	for range 50 {
		queries = append(queries, far())
	}
	if got := searchRecall(t, v, queries); got < 0.97 {
		t.Errorf("recall of searches %v", got)
	}
}

// TestSameLists: lists are those of the operations, in whatever transactions they came, whenever
// they were integrated, on however many threads, and also where that was interrupted.
func TestSameLists(t *testing.T) {
	rows := clustered(rand.New(rand.NewPCG(5, 5)), 1500)
	var want [][]store.Neighbor
	for way, size := range []int{1, 13, 100, 500} {
		o := new(living.Options).Chunk(100)
		o.Auto, o.Threads = way == 1, 1+way%2
		db := grown(t, rows, 1000, o)
		writeAll(t, db, rows[1000:], size)
		for stops := range 3 * (way % 3) {
			ctx, cancel := context.WithCancel(t.Context())
			if stops%2 == 0 {
				cancel()
			}
			_ = db.Integrate(ctx)
			cancel()
		}
		if err := db.Integrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := allLists(t, db); want == nil {
			want = got
		} else if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("transactions of %d give other lists", size)
		}
	}
}

// writeAll puts rows, and after every tenth deletes one, in transactions of some operations.
func writeAll(t *testing.T, db *living.DB, rows [][]float32, size int) {
	t.Helper()
	var ops []func(tx *living.Tx) error
	for i, r := range rows {
		ops = append(ops, func(tx *living.Tx) error { _, err := tx.Put("", r); return err })
		if i%10 == 9 {
			ops = append(ops, func(tx *living.Tx) error { return tx.DeleteRow(store.Row(i * 2)) })
		}
	}
	for some := range slices.Chunk(ops, size) {
		err := db.Update(func(tx *living.Tx) error {
			for _, op := range some {
				if err := op(tx); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func allLists(t *testing.T, db *living.DB) (lists [][]store.Neighbor) {
	t.Helper()
	v, err := db.View()
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for row := range v.Rows() {
		list, err := v.Neighbors(row, nil)
		if err != nil {
			t.Fatal(err)
		}
		lists = append(lists, list)
	}
	return lists
}

// TestFullDisk: where the disk has no room for what an integration writes, transactions go on, their rows are found, the state tells the
// error, and a later transaction integrates them; where the log has no room the transaction fails.
func TestFullDisk(t *testing.T) {
	for _, of := range []string{"layer-", "MANIFEST-", "CURRENT"} {
		t.Run(of, func(t *testing.T) { fullDisk(t, of) })
	}
}

func fullDisk(t *testing.T, of string) {
	const base, chunk = 400, 40
	rows := clustered(rand.New(rand.NewPCG(4, 4)), base+6*chunk)
	full, log := false, false
	o := new(living.Options).Chunk(chunk).On(func(inner disk.FS) disk.FS {
		return &fullFS{inner, func(name string) bool {
			return full && strings.Contains(name, of) || log && strings.Contains(name, "log-")
		}}
	})
	o.Auto = true
	db := grown(t, rows, base, o)
	next, told := base, 0
	put := func(n int) {
		t.Helper()
		for range n {
			err := db.Update(func(tx *living.Tx) error { return second(tx.Put("", rows[next])) })
			if errors.Is(err, living.ErrIntegrate) && errors.Is(err, store.ErrSpace) && full {
				told++
			} else if err != nil {
				t.Fatalf("row %d: %v", next, err)
			}
			next++
		}
		v := view(t, db)
		for _, at := range []int{base, next - 1} {
			found, err := v.Search(rows[at], living.Query{K: 5})
			must(t, err)
			if !slices.ContainsFunc(found, func(n store.Neighbor) bool { return n.Row == store.Row(at) && n.Distance == 0 }) {
				t.Errorf("row %d is not found: %v", at, found)
			}
		}
		if v.Len() != next {
			t.Errorf("%d rows, want %d", v.Len(), next)
		}
	}
	full = true
	put(2 * chunk)
	st := view(t, db).State()
	if told < 2 || told > chunk/2 || st.Layered != 0 || st.Pending != 2*chunk || !strings.Contains(st.Unintegrated, syscall.ENOSPC.Error()) {
		t.Errorf("a full disk was told %d times: %+v", told, st)
	}
	full = false
	put(chunk)
	if st = view(t, db).State(); st.Unintegrated != "" || st.Layered != 3*chunk || st.Pending != 0 {
		t.Errorf("with room again: %+v", st)
	}
	full = true
	put(chunk)
	dir := filepath.Dir(st.Base)
	if st.Base != "" {
		dir = st.Base // the base as it was built is the store
	}
	for _, again := range []bool{false, true} { // as it is, and by another process after a kill
		r, err := living.OpenReader(dir, nil)
		must(t, err)
		if r.Len() != next || r.State().Layered != 3*chunk {
			t.Errorf("a reader has %+v", r.State())
		}
		must(t, r.Close())
		if !again {
			must(t, db.Close())
		}
	}
	full = false
	db, err := living.Open(dir, o)
	must(t, err)
	defer db.Close()
	must(t, db.Integrate(t.Context()))
	if st = view(t, db).State(); st.Layered != 4*chunk {
		t.Errorf("after it was opened again: %+v", st)
	}
	log = true
	if err := db.Update(func(tx *living.Tx) error { return second(tx.Put("", rows[0])) }); !errors.Is(err, living.ErrBroken) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the log has no room: %v", err)
	}
}

// A fullFS has no room for some files.
type fullFS struct {
	disk.FS
	full func(name string) bool
}

func (f *fullFS) Create(name string) (disk.File, error) {
	file, err := f.FS.Create(name)
	return &fullFile{file, f, name}, err
}

func (f *fullFS) Edit(name string) (disk.File, error) {
	file, err := f.FS.Edit(name)
	return &fullFile{file, f, name}, err
}

type fullFile struct {
	disk.File
	fs   *fullFS
	name string
}

func (f *fullFile) WriteAt(b []byte, at int64) (int, error) {
	if f.fs.full(f.name) {
		n, err := f.File.WriteAt(b[:len(b)/2], at)
		return n, errors.Join(syscall.ENOSPC, err)
	}
	return f.File.WriteAt(b, at)
}

// TestFullDiskOfCompaction: where the disk has no room for what a compaction writes beside its base, at whatever file, writing goes on,
// no row is lost, and the next compaction succeeds.
func TestFullDiskOfCompaction(t *testing.T) {
	const base = 300
	rows := clustered(rand.New(rand.NewPCG(5, 5)), base+3)
	for _, of := range []string{"log-", "MANIFEST-", "CURRENT", "rows-"} {
		for skip := range 2 { // a compaction writes two manifests
			t.Run(fmt.Sprint(of, skip), func(t *testing.T) {
				full, left := false, 0
				o := new(living.Options).On(func(inner disk.FS) disk.FS {
					return &fullFS{inner, func(name string) bool {
						if full && strings.Contains(name, of) {
							left--
						}
						return full && left < 0
					}}
				})
				db := grown(t, rows, base, o)
				put := func(i int) {
					t.Helper()
					must(t, db.Update(func(tx *living.Tx) error {
						return errors.Join(second(tx.Put("", rows[i])), tx.DeleteRow(store.Row(i-base)))
					}))
				}
				put(base)
				full, left = true, skip
				err := rebuild.Compact(t.Context(), db, rebuild.Options{Threads: 1})
				full = false
				if err != nil && (!errors.Is(err, store.ErrSpace) || errors.Is(err, living.ErrBroken)) || err == nil && skip == 0 {
					t.Fatalf("no room for %s: %v", of, err)
				}
				put(base + 1)
				must(t, rebuild.Compact(t.Context(), db, rebuild.Options{Threads: 1}))
				put(base + 2)
				v := view(t, db)
				for i := range rows {
					found, err := v.Search(rows[i], living.Query{K: 8})
					must(t, err)
					if here := slices.ContainsFunc(found, func(n store.Neighbor) bool { return n.Row == store.Row(i) }); here != (i >= 3) {
						t.Errorf("row %d: %v", i, found)
					}
				}
			})
		}
	}
}

// TestPutElsewhere: rows that are put far from all that the graph has, of two kinds by turns or in many small groups, are found
// by searches and in lists once they are integrated.
func TestPutElsewhere(t *testing.T) {
	for name, put := range map[string]func(rng *rand.Rand, i int) (center, spread float64){
		"turns":  func(_ *rand.Rand, i int) (float64, float64) { return []float64{300, 200}[i%2], []float64{20, 0.1}[i%2] },
		"groups": func(_ *rand.Rand, i int) (float64, float64) { return 200 + 40*float64(i%60), 0.5 },
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := builtStore(t, 1500, 8)
			db, err := living.Open(dir, new(living.Options).Chunk(300))
			must(t, err)
			defer db.Close()
			rng, rows := rand.New(rand.NewPCG(8, 8)), make([][]float32, 1200)
			must(t, db.Update(func(tx *living.Tx) (err error) {
				for i := 0; i < len(rows) && err == nil; i++ {
					center, spread := put(rng, i)
					rows[i] = make([]float32, 8)
					for j := range rows[i] {
						rows[i][j] = float32(center + spread*rng.NormFloat64())
					}
					_, err = tx.Put("", rows[i])
				}
				return err
			}))
			must(t, db.Integrate(t.Context()))
			v := view(t, db)
			if st := v.State(); st.Layered != len(rows) {
				t.Fatalf("state %+v", st)
			}
			var searches, lists []float64
			for i := 0; i < len(rows); i += 7 {
				found, err := v.Search(rows[i], living.Query{K: 10})
				must(t, err)
				exact, err := v.Search(rows[i], living.Query{K: 10, Exact: true})
				must(t, err)
				searches = append(searches, search.Recall(found, exact))
				found, err = v.Neighbors(store.Row(1500+i), nil)
				must(t, err)
				exact, err = v.Neighbors(store.Row(1500+i), &living.NeighborsOptions{Exact: true})
				must(t, err)
				lists = append(lists, search.Recall(found, exact))
			}
			if mean(searches) < 0.98 || mean(lists) < 0.98 {
				t.Errorf("recall of searches %.3f, of lists %.3f", mean(searches), mean(lists))
			}
		})
	}
}
