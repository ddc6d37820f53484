package living_test

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestBits: rows of packed bits are put, deleted, integrated, compacted and found, as a count of
// the bits that differ finds them; a query that is not of bytes is refused in words.
func TestBits(t *testing.T) {
	const n, dim = 400, 8
	rng := rand.New(rand.NewPCG(4, 4))
	row := func() []float32 {
		v := make([]float32, dim)
		for i := range v {
			v[i] = float32(rng.IntN(256))
		}
		return v
	}
	live, data := map[store.Row][]float32{}, make([]byte, 0, n*dim)
	for i := range n {
		v := row()
		live[store.Row(i)] = v
		for _, x := range v {
			data = append(data, byte(x))
		}
	}
	in, err := vectors.RowsOf(data, n, dim, dim, vectors.Uint8)
	fine(t, err)
	dir := filepath.Join(t.TempDir(), "g")
	_, err = builder.Build(t.Context(), dir, vectors.NewInput(in), builder.Options{K: 6, Metric: distance.Hamming})
	fine(t, err)
	db, err := living.Open(dir, new(living.Options).Chunk(30))
	fine(t, err)
	defer db.Close()
	fine(t, db.Update(func(tx *living.Tx) error {
		for i := range 100 {
			v := row()
			at, err := tx.Put("", v)
			fine(t, err)
			live[at] = v
			fine(t, tx.DeleteRow(store.Row(3*i)))
			delete(live, store.Row(3*i))
		}
		if _, err := tx.Put("", slices.Repeat([]float32{0.5}, dim)); !errors.Is(err, living.ErrVector) {
			t.Errorf("error %v", err)
		}
		return nil
	}))
	for _, step := range []func() error{
		func() error { return nil },
		func() error { return db.Integrate(t.Context()) },
		func() error { return rebuild.Compact(t.Context(), db, rebuild.Options{Threads: 1}) },
	} {
		fine(t, step())
		v := view(t, db)
		for range 20 {
			q := row()
			var want []float32
			for _, r := range live {
				d := 0
				for i := range r {
					d += bits.OnesCount8(byte(r[i]) ^ byte(q[i]))
				}
				want = append(want, float32(d))
			}
			slices.Sort(want)
			for _, exact := range []bool{true, false} {
				found, err := v.Search(q, living.Query{K: 5, Exact: exact, Effort: 200})
				fine(t, err)
				for i, f := range found {
					if f.Distance != want[i] || live[f.Row] == nil {
						t.Fatalf("result %d is %v, want %v", i, f, want[i])
					}
				}
			}
		}
		if _, err := v.Search(slices.Repeat([]float32{0.5}, dim), living.Query{K: 1}); !errors.Is(err, search.ErrQuery) {
			t.Errorf("error %v", err)
		}
	}
}
