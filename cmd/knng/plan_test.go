package main

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSufficing: the least that a plan names is enough when it is given.
func TestSufficing(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 1000 {
		need := rng.Int64N(1 << (20 + rng.IntN(20)))
		given, err := parseSize(strings.ReplaceAll(sufficing(need), " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if given < need || given > need+1<<18 {
			t.Errorf("%d bytes are needed, %s are %d", need, sufficing(need), given)
		}
	}
}
