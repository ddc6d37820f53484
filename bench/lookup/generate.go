package lookup

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/store"
)

// Generate makes a finished store of n lists of k neighbors that are drawn at
// random, without vectors: for lookups it is as good as a graph, and it may be
// larger than any at hand.
func Generate(dir string, n, k int, seed uint64) error {
	d, err := store.OpenDraft(dir, store.Manifest{
		Rows: n, Dim: 1, Type: "uint8", Metric: "euclidean", K: k, Vectors: "reference",
		Options: []store.Option{{Name: "distance", Value: "drawn"}},
	}, nil)
	if err != nil {
		return err
	}
	defer d.Close()
	order := make([]uint32, n)
	for row := range order {
		order[row] = uint32(row)
	}
	if err := d.CommitOrder(order); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	err = d.CommitAdjacency(k, func(add func([]uint32, []float32) error) error {
		neighbors, keys := make([]uint32, k), make([]float32, k)
		for range n {
			for i := range neighbors {
				neighbors[i], keys[i] = uint32(rng.IntN(n)), rng.Float32()
			}
			slices.Sort(keys)
			if err := add(neighbors, keys); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	sum, err := d.Checksum(context.Background())
	if err != nil {
		return err
	}
	return d.Seal(context.Background(), map[string]string{"checksum": sum})
}
