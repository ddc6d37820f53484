package targets

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
)

// TestRun: every target is built by every seed, measured, and counted once.
func TestRun(t *testing.T) {
	rng, data := rand.New(rand.NewPCG(1, 1)), []byte{8, 0, 0, 0}
	for i := range 3000 {
		if i > 0 {
			data = append(data, 8, 0, 0, 0)
		}
		for range 8 {
			data = append(data, byte(rng.Uint32()))
		}
	}
	file := filepath.Join(t.TempDir(), "x.bvecs")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	c := Config{Input: file, Options: builder.Options{K: 5, Method: builder.Balls, LeafSize: 50}, Targets: []float64{0.8, 0.9}, Seeds: 3, Sample: 500, Scratch: t.TempDir()}
	var out bytes.Buffer
	Head(&out)
	var targets []float64
	err := c.Run(context.Background(), func(r Row) {
		targets = append(targets, r.Target)
		below, met, beyond := r.Met()
		if below+met+beyond != c.Seeds || len(r.Recalls) != c.Seeds {
			t.Errorf("target %v: %d, %d and %d of %d builds", r.Target, below, met, beyond, c.Seeds)
		}
		if r.Recalls[0] < r.Target-0.05 {
			t.Errorf("target %v: recall %v", r.Target, r.Recalls)
		}
		r.Print(&out, c.Input)
	})
	if err != nil || len(targets) != 2 {
		t.Fatalf("targets %v, error %v", targets, err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 4 {
		t.Errorf("%d lines: %s", lines, out.String())
	}
	if left, err := os.ReadDir(c.Scratch); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestMet(t *testing.T) {
	r := Row{Target: 0.9, Recalls: []float64{0.89, 0.9, 0.915, 0.93}}
	if below, met, beyond := r.Met(); below != 1 || met != 2 || beyond != 1 {
		t.Errorf("%d below, %d met, %d beyond", below, met, beyond)
	}
}
