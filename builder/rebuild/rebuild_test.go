package rebuild_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rowsOf makes n rows of 4 elements with ids from first on.
func rowsOf(n, first int) (data []float32, ids []string) {
	rng := rand.New(rand.NewPCG(uint64(first), 9))
	for i := range n {
		for range 4 {
			data = append(data, float32(rng.NormFloat64()))
		}
		ids = append(ids, "id "+strconv.Itoa(first+i))
	}
	return data, ids
}

func build(t *testing.T, dir string, data []float32, ids []string, o builder.Options) *builder.Result {
	t.Helper()
	in, err := vectors.FromFloat32(data, 4)
	must(t, err)
	if ids != nil {
		o.Names = slices.Values(ids)
	}
	result, err := builder.Build(t.Context(), dir, vectors.NewInput(in), o)
	must(t, err)
	return result
}

func contentOf(t *testing.T, dir string) living.Content {
	t.Helper()
	v, err := living.OpenReader(dir, nil)
	must(t, err)
	defer v.Close()
	sum, err := v.Content(t.Context())
	must(t, err)
	return sum
}

// TestMerge: a merge is the build of all rows, by the options of the first store, and keeps ids
// and vectors; deleted rows are not in it.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	a, aIDs := rowsOf(150, 0)
	b, bIDs := rowsOf(90, 1000)
	o := builder.Options{K: 6, Recall: 0.97, Seed: 5}
	build(t, path("a"), a, aIDs, o)
	build(t, path("b"), b, bIDs, builder.Options{K: 3})
	db, err := living.Open(path("b"), nil)
	must(t, err)
	must(t, db.Update(func(tx *living.Tx) error {
		_, err := tx.Put("id 1000", []float32{1, 2, 3, 4})
		return errors.Join(err, tx.Delete("id 1001"))
	}))
	must(t, db.Close())
	got, err := rebuild.Merge(t.Context(), path("c"), 0, []string{path("a"), path("b")}, rebuild.Options{})
	must(t, err)
	data := append(slices.Clone(a), b[8:]...) // rows 0 and 1 of b are gone, and one is new
	want := build(t, path("d"), append(data, 1, 2, 3, 4), append(append(slices.Clone(aIDs), bIDs[2:]...), "id 1000"), o)
	if got.Checksum != want.Checksum || got.Rows != 239 || got.K != 6 {
		t.Errorf("%d rows, k %d, checksum %s, want %s", got.Rows, got.K, got.Checksum, want.Checksum)
	}
	if sum := contentOf(t, path("a")).Add(contentOf(t, path("b"))); contentOf(t, path("c")) != sum {
		t.Errorf("content %v, want %v", contentOf(t, path("c")), sum)
	}
	again, err := rebuild.Merge(t.Context(), path("c"), 0, []string{path("a"), path("b")}, rebuild.Options{})
	if !errors.Is(err, store.ErrFinished) || again.Checksum != want.Checksum {
		t.Errorf("again: %v", err)
	}
}

// filesOf lists the files below a folder, with their sizes and times.
func filesOf(t *testing.T, dir string) (all []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		all = append(all, fmt.Sprint(path, info.Size(), info.ModTime()))
		return err
	}))
	return all
}

// TestMergeReadsAlone: a merge writes nothing into its sources: it made links of search there.
func TestMergeReadsAlone(t *testing.T) {
	dir := t.TempDir()
	data, _ := rowsOf(200, 0)
	from := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
	for _, path := range from {
		build(t, path, data, nil, builder.Options{K: 5})
	}
	before := append(filesOf(t, from[0]), filesOf(t, from[1])...)
	_, err := rebuild.Merge(t.Context(), filepath.Join(dir, "c"), 0, from, rebuild.Options{})
	must(t, err)
	if after := append(filesOf(t, from[0]), filesOf(t, from[1])...); !slices.Equal(after, before) {
		t.Errorf("after the merge the sources are %q, want %q", after, before)
	}
}

// TestMergeRefuses: stores that do not fit, and ids that stand twice.
func TestMergeRefuses(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	a, ids := rowsOf(20, 0)
	build(t, path("a"), a, ids, builder.Options{K: 3})
	build(t, path("b"), a, nil, builder.Options{K: 3})
	db, err := living.Open(path("c"), &living.Options{Create: &living.Shape{Dim: 5}})
	must(t, err)
	must(t, db.Close())
	for i, from := range [][]string{{"a", "b"}, {"a", "c"}, {}} {
		for j := range from {
			from[j] = path(from[j])
		}
		if _, err := rebuild.Merge(t.Context(), path("out"+strconv.Itoa(i)), 0, from, rebuild.Options{}); !errors.Is(err, rebuild.ErrMerge) {
			t.Errorf("%v: %v", from, err)
		}
	}
	if _, err := rebuild.Merge(t.Context(), path("twice"), 0, []string{path("a"), path("a")}, rebuild.Options{}); err == nil {
		t.Error("ids stand twice, and the stores merge")
	}
}

// TestRaise: a compaction raises the recall of a store that nothing was written to, and keeps
// raising it in later ones.
func TestRaise(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g")
	data, ids := rowsOf(3000, 0)
	before := build(t, dir, data, ids, builder.Options{K: 8, Method: builder.Balls, Divisions: 1, LeafSize: 40, Propagation: builder.Off})
	db, err := living.Open(dir, nil)
	must(t, err)
	defer db.Close()
	must(t, rebuild.Compact(t.Context(), db, rebuild.Options{Recall: 0.995}))
	v, err := db.View()
	must(t, err)
	defer v.Close()
	est, err := rebuild.Recall(t.Context(), v, 300, 1, 2)
	must(t, err)
	if est.High < 0.995 || before.Recall.Recall > 0.9 {
		t.Errorf("recall %+v after %+v", est, before.Recall)
	}
	why := errors.New("shutdown")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(why)
	if est, err := rebuild.Recall(ctx, v, 0, 1, 2); !errors.Is(err, context.Canceled) || !errors.Is(err, why) || est.Recall != 0 {
		t.Errorf("canceled: %+v, %v", est, err)
	}
	if est, err := rebuild.Recall(t.Context(), v, -1, 1, 2); err == nil || est.Recall != 0 {
		t.Errorf("-1 rows: %+v, %v", est, err)
	}
}

// TestStopped: a compaction that was cancelled leaves the store as it was, and goes on later.
func TestStopped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g")
	data, ids := rowsOf(400, 0)
	build(t, dir, data, ids, builder.Options{K: 8})
	db, err := living.Open(dir, nil)
	must(t, err)
	defer db.Close()
	must(t, db.Update(func(tx *living.Tx) error { return tx.Delete("id 7") }))
	want := contentOf(t, dir)
	for stops := 1; ; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		phases := 0
		err := rebuild.Compact(ctx, db, rebuild.Options{Progress: func(builder.Event) {
			if phases++; phases == stops {
				cancel()
			}
		}})
		cancel()
		if got := contentOf(t, dir); got != want {
			t.Fatalf("content %v after %d phases (%v), want %v", got, stops, err, want)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		stops += 5
	}
}
