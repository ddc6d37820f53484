package shards

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/knng/knng/store"
)

// TestListsInPieces: lists are read alike however the bytes of a section come.
func TestListsInPieces(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		var data []byte
		var want, got store.Lists
		want.Reset()
		got.Reset()
		for place := range uint32(rng.IntN(20)) {
			var ids []uint32
			var keys []float32
			for range rng.IntN(6) {
				ids, keys = append(ids, rng.Uint32()), append(keys, rng.Float32())
			}
			want.Append(place, ids, keys)
			data = encodeList(data, place, ids, keys)
		}
		add := func(place uint32, ids []uint32, keys []float32) error {
			got.Append(place, ids, keys)
			return nil
		}
		var r listReader
		for rest := data; len(rest) > 0; {
			n := 1 + rng.IntN(min(len(rest), 1+rng.IntN(100)))
			if err := r.take(rest[:n], add); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if len(r.left) > 0 || !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %d bytes are left; %v, want %v", seed, len(r.left), got, want)
		}
		if len(data) > 0 {
			var cut listReader
			if err := cut.take(data[:len(data)-1], add); err != nil || len(cut.left) == 0 {
				t.Fatalf("seed %d: a list that is cut short is not seen: %v", seed, err)
			}
		}
	}
}
