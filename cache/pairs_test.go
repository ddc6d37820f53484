package cache

import (
	"errors"
	"math/rand/v2"
	"testing"
)

func TestPairsSurviveReopening(t *testing.T) {
	dir := t.TempDir()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	want := map[[2]uint64]float32{}
	for range 3 {
		p := openPairs(t, dir, "edit", 1)
		for range 50 {
			a := rng.Uint64N(40)
			bs, keys := []uint64{rng.Uint64N(40), rng.Uint64N(40)}, []float32{rng.Float32(), rng.Float32()}
			if err := p.Add(a, bs, keys); err != nil {
				t.Fatal(err)
			}
			for i, b := range bs {
				want[[2]uint64{min(a, b), max(a, b)}] = keys[i]
			}
		}
		for a := range uint64(40) {
			for b := range uint64(40) {
				key, ok, err := p.Find(a, b)
				wantKey, wantOK := want[[2]uint64{min(a, b), max(a, b)}]
				if err != nil || key != wantKey || ok != wantOK {
					t.Fatalf("seed %d: pair %d, %d: %v %v %v, want %v %v", seed, a, b, key, ok, err, wantKey, wantOK)
				}
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPairsOfAnotherDistanceAreRefused(t *testing.T) {
	dir := t.TempDir()
	openPairs(t, dir, "edit", 1).Close()
	if _, err := OpenPairs(dir, "edit", 2, 1<<20); !errors.Is(err, ErrOtherDistance) {
		t.Fatalf("got %v", err)
	}
}

func openPairs(t *testing.T, dir, name string, version int) *Pairs {
	t.Helper()
	p, err := OpenPairs(dir, name, version, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
