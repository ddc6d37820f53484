package tree_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/buildtest"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/builder/internal/tree"
)

// TestLists: the lists of a stage are those of comparing every row with all others, where rows stand in
// the order of the tree and where they do not, and again from the store.
func TestLists(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, reference := range []bool{false, true} {
		for _, values := range []int{3, 256} { // few values make ties and equal rows
			n, dim, k := 1+rng.IntN(600), 1+rng.IntN(8), 1+rng.IntN(12)
			rows, space := rowstest.Bytes(t, rng, n, dim, values)
			b := buildtest.New(t, rows, space, k)
			if b.K == 0 {
				continue
			}
			b.Set.Reference, b.State.Method = reference, job.TreeMethod
			m := tree.New(b)
			b.Method = m
			if !reference {
				order, err := m.Arrange(rows, func(int) {})
				if err != nil {
					t.Fatal(err)
				}
				var bytes []byte
				for _, row := range order {
					bytes = append(bytes, rows.Row(int(row))...)
				}
				if b.Order = order; b.Over(bytes, n) != nil {
					t.Fatal("no rows")
				}
			}
			if err := m.Resume(); err != nil {
				t.Fatal(err)
			}
			kind, stop := m.Next()
			if kind != job.ExactStage || stop != "" {
				t.Fatalf("next is %q, %q", kind, stop)
			}
			if err := m.Stage(kind); err != nil {
				t.Fatal(err)
			}
			if kind, stop = m.Next(); kind != "" || stop == "" {
				t.Errorf("then %q, %q", kind, stop)
			}
			for range 2 {
				for place, row := range b.Order {
					ids, keys := b.Lists.List(uint32(place))
					got := make([]uint32, len(ids))
					for i, id := range ids {
						got[i] = b.Order[id]
					}
					wantIDs, wantKeys := buildtest.Nearest(rows, space, int(row), k)
					if !slices.Equal(got, wantIDs) || !slices.Equal(keys, wantKeys) {
						t.Fatalf("%d rows of %d, %d values, reference %v: row %d has %v %v, want %v %v", n, dim, values, reference, row, got, keys, wantIDs, wantKeys)
					}
				}
				b.Lists.Free()
				if err := m.Resume(); err != nil {
					t.Fatal(err)
				}
			}
			b.Lists.Free()
			m.Free()
		}
	}
}
