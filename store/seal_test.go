package store

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestLabelsOfABuild: a finished store has no labels of any division, nor their bytes.
func TestLabelsOfABuild(t *testing.T) {
	const n = 1 << 18
	random := make([]uint32, n) // do not compress
	rng := rand.New(rand.NewPCG(4, 1))
	for i := range random {
		random[i] = rng.Uint32()
	}
	dir := filepath.Join(t.TempDir(), "g")
	d := open(t, dir, tiny(50))
	for _, division := range []uint32{0, 1, math.MaxInt32} {
		must(t, d.CommitLabels(division, random, nil))
	}
	finish(t, d, 50, false)
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	if held, err := s.engine.holds([]byte{tagLabels}, []byte{tagLabels + 1}); held || err != nil {
		t.Errorf("labels are there: %v, %v", held, err)
	}
	tables, err := filepath.Glob(filepath.Join(dir, graphName, "*"))
	must(t, err)
	sum := int64(0)
	for _, path := range tables {
		info, err := os.Stat(path)
		must(t, err)
		sum += info.Size()
	}
	if sum > n {
		t.Errorf("%d bytes in %s, want few beside the %d of labels", sum, graphName, 3*4*n)
	}
}
