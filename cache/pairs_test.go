package cache

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
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

// TestPairsAreSynced: what was added without a sync is in the files soon, though nothing
// is added after it: a distance may take minutes.
func TestPairsAreSynced(t *testing.T) {
	dir, killed := filepath.Join(t.TempDir(), "pairs"), filepath.Join(t.TempDir(), "killed")
	p := openPairs(t, dir, "slow", 1)
	defer p.Close()
	for i := range uint64(2) { // the second comes within 20 ms of the first
		if err := p.Add(1, []uint64{2 + i}, []float32{float32(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for began := time.Now(); ; time.Sleep(syncEvery) {
		if err := errors.Join(os.RemoveAll(killed), os.CopyFS(killed, os.DirFS(dir))); err != nil {
			t.Fatal(err)
		}
		left := openPairs(t, killed, "slow", 1) // as after kill -9
		_, ok, err := left.Find(1, 3)
		if err := errors.Join(err, left.Close()); err != nil {
			t.Fatal(err)
		}
		if ok {
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal("the second pair is not in the files")
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
