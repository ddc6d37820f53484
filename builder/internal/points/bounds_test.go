package points

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/builder/internal/offheap"
)

// TestBoundsRoundUp: a bound is never below the key that was set, nor far above it.
func TestBoundsRoundUp(t *testing.T) {
	var b Bounds
	if b.Key(3) != float32(math.Inf(1)) || b.Distance(3) != math.MaxUint32 {
		t.Error("without bounds something is too far")
	}
	if err := b.Take(&offheap.Ledger{}, 2); err != nil {
		t.Fatal(err)
	}
	defer b.keys.Free()
	if b.Key(1) != float32(math.Inf(1)) {
		t.Errorf("a fresh bound is %v", b.Key(1))
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	keys := []float32{0, 1, 255, 256, 257, math.SmallestNonzeroFloat32, math.MaxFloat32, -1, -1.001, 8323200}
	for range 1000 {
		keys = append(keys, float32(rng.NormFloat64()*math.Exp(20*rng.NormFloat64())), float32(rng.IntN(1<<24)))
	}
	for _, key := range keys {
		b.Set(0, key)
		got := float64(b.Key(0))
		if got < float64(key) || key < 1e38 && got-float64(key) > math.Abs(float64(key))/128+1e-38 {
			t.Errorf("the bound of %v is %v", key, got)
		}
		if key >= 0 && key < 1<<24 && b.Distance(0) < uint32(key) {
			t.Errorf("the bound of %v is %d", key, b.Distance(0))
		}
	}
}

// TestBoundsOnlyGetLower: of the keys that Lower is shown the nearest stays, in any order.
func TestBoundsOnlyGetLower(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 100 {
		var b, want Bounds
		for _, bounds := range []*Bounds{&b, &want} {
			if err := bounds.Take(&offheap.Ledger{}, 1); err != nil {
				t.Fatal(err)
			}
			defer bounds.Free()
		}
		least := float32(math.Inf(1))
		for range 1 + rng.IntN(5) {
			key := float32(rng.NormFloat64() * 1000)
			b.Lower(0, key)
			least = min(least, key)
		}
		if want.Set(0, least); b.Key(0) != want.Key(0) {
			t.Fatalf("the bound is %v, want that of %v, %v", b.Key(0), least, want.Key(0))
		}
	}
}
