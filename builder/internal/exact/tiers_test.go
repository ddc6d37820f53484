package exact

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/buildtest"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/builder/internal/tiers"
	"github.com/knng/knng/builder/knn"
)

// TestRowsOfATierAreExact: after each tier the lists of its rows are those of comparing them with all
// others, whatever lists hold before. The pairs are counted once each.
func TestRowsOfATierAreExact(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, values := range []int{2, 256} { // of few values many keys tie
		n, k := 200+rng.IntN(200), 1+rng.IntN(8)
		rows, space := rowstest.Bytes(t, rng, n, 1+rng.IntN(20), values)
		b := buildtest.New(t, rows, space, k)
		b.Lists = knn.New(n, k, b.Order)
		for place := range uint32(n) { // chance finds
			for range k {
				if other := rng.Uint32N(uint32(n)); other != place {
					b.Lists.Offer(place, other, space.Key(rows.Row(int(place)), rows.Row(int(other)), 0, 0))
				}
			}
		}
		b.State.Tiers, b.Goal.Recall = tiers.Count, 0.9
		of := make([]uint32, n)
		for i := range of {
			of[i] = rng.Uint32N(tiers.Count)
		}
		if err := b.KeepTiers(&tiers.Tiers{Of: of, After: make([]float64, tiers.Count)}); err != nil {
			t.Fatal(err)
		}
		wantIDs, wantKeys := make([][]uint32, n), make([][]float32, n)
		for place := range n {
			wantIDs[place], wantKeys[place] = buildtest.Nearest(rows, space, place, k)
		}
		m := New(b)
		var pairs int64
		for tier := range tiers.Count {
			if err := m.Stage(job.ExactStage); err != nil {
				t.Fatal(err)
			}
			pairs += b.State.Last().Requested
			for place, at := range of {
				ids, keys := b.Lists.List(uint32(place))
				if int(at) <= tier && (!slices.Equal(ids, wantIDs[place]) || !slices.Equal(keys, wantKeys[place])) {
					t.Fatalf("seed %d, %d values: after tier %d row %d of tier %d has %v %v, want %v %v", seed, values, tier, place, at, ids, keys, wantIDs[place], wantKeys[place])
				}
			}
		}
		if want := int64(n) * int64(n-1) / 2; pairs != want {
			t.Errorf("%d pairs were compared, want %d", pairs, want)
		}
	}
}
