package rebuild_test

import (
	"cmp"
	"maps"
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

// written builds a store of rows with ids, deletes some, and puts others, half of which are integrated. It
// returns the live rows by id.
func written(t *testing.T, rng *rand.Rand, dir string, typ vectors.Type, n, k int) map[string][]float32 {
	t.Helper()
	data := wideRows(rng.Uint64(), n, 128)
	var ids []string
	live := map[string][]float32{}
	for i := range n {
		ids = append(ids, filepath.Base(dir)+strconv.Itoa(i))
		live[ids[i]] = data[i*wide : (i+1)*wide]
	}
	_, err := builder.Build(t.Context(), dir, wideInput(t, typ, data), builder.Options{K: k, Recall: 0.95, Method: builder.Balls, Names: slices.Values(ids)})
	must(t, err)
	db, err := living.Open(dir, nil)
	must(t, err)
	defer db.Close()
	for round := range 2 {
		must(t, db.Update(func(tx *living.Tx) error {
			for range n / 20 {
				id := ids[rng.IntN(len(ids))]
				if live[id] != nil {
					must(t, tx.Delete(id))
					delete(live, id)
				}
				row := wideRows(rng.Uint64(), 1, 128)
				id = ids[rng.IntN(len(ids))] // of a row that lives, or is dead
				if _, err := tx.Put(id, row); err != nil {
					return err
				}
				live[id] = row
			}
			return nil
		}))
		if round == 0 {
			must(t, db.Integrate(t.Context()))
		}
	}
	return live
}

// TestMergeOfWritten: a merge of three stores that were written to, whose lists are of different
// lengths, has the live rows of all, each with a list of as many different others as asked for, at their
// distances, of the recall asked for, on any number of threads.
func TestMergeOfWritten(t *testing.T) {
	const seed = 1 // other rows may have a recall a little below that asked for
	for _, c := range []struct {
		typ vectors.Type
		k   int // 0: that of the first store
	}{{vectors.Uint8, 0}, {vectors.Uint8, 14}, {vectors.Float32, 0}} {
		rng, dir := rand.New(rand.NewPCG(seed, 4)), t.TempDir()
		live := map[string][]float32{}
		var from []string
		for i, n := range []int{2600, 1500, 2000} {
			from = append(from, filepath.Join(dir, string(rune('a'+i))))
			maps.Copy(live, written(t, rng, from[i], c.typ, n, []int{10, 6, 12}[i]))
		}
		to := filepath.Join(dir, "all")
		result, err := rebuild.Merge(t.Context(), to, c.k, from, rebuild.Options{Threads: 2})
		must(t, err)
		again, err := rebuild.Merge(t.Context(), to+"1", c.k, from, rebuild.Options{Threads: 1})
		must(t, err)
		if again.Checksum != result.Checksum || result.Recall.High < 0.95 || result.Rows != len(live) {
			t.Errorf("%v, k %d: %d rows, want %d, recall %+v, checksum %s on two threads, %s on one", c.typ, c.k, result.Rows, len(live), result.Recall, result.Checksum, again.Checksum)
		}
		checkLists(t, to, live, cmp.Or(c.k, 10))
	}
}

// checkLists compares rows and lists of a store with live rows.
func checkLists(t *testing.T, dir string, live map[string][]float32, k int) {
	t.Helper()
	v, err := living.OpenReader(dir, nil)
	must(t, err)
	defer v.Close()
	rows := map[store.Row][]float32{}
	for row := range v.Rows() {
		id, err := v.ID(row)
		must(t, err)
		got, err := v.Vector(row, nil)
		must(t, err)
		if !slices.Equal(got, live[id]) {
			t.Fatalf("%s is %v, want %v", id, got, live[id])
		}
		rows[row] = live[id]
	}
	found, all := 0, 0
	for row, mine := range rows {
		list, err := v.Neighbors(row, nil)
		must(t, err)
		if len(list) != k {
			t.Fatalf("row %d has %d neighbors, want %d", row, len(list), k)
		}
		seen, last := map[store.Row]bool{row: true}, float32(0)
		for _, e := range list {
			if d := squared(mine, rows[e.Row]); seen[e.Row] || e.Distance < last || e.Distance*e.Distance < 0.999*d || e.Distance*e.Distance > 1.001*d {
				t.Fatalf("row %d has %d at %v after %v, twice: %v; its squared distance is %v", row, e.Row, e.Distance, last, seen[e.Row], d)
			}
			seen[e.Row], last = true, e.Distance
		}
		if row%64 != 0 {
			continue
		}
		var keys []float32
		for other, theirs := range rows {
			if other != row {
				keys = append(keys, squared(mine, theirs))
			}
		}
		slices.Sort(keys)
		for _, e := range list {
			if e.Distance*e.Distance <= 1.001*keys[k-1] {
				found++
			}
		}
		all += k
	}
	if recall := float64(found) / float64(all); recall < 0.93 {
		t.Errorf("recall %.3f of %d neighbors", recall, all)
	}
}

func squared(a, b []float32) (sum float32) {
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return sum
}
