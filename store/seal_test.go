package store

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestRecordsOfABuild: a finished store has none of the records that only a build needs, nor their bytes.
func TestRecordsOfABuild(t *testing.T) {
	const size = 1 << 20
	random := make([]byte, size) // does not compress
	rng := rand.New(rand.NewPCG(4, 1))
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	dir := filepath.Join(t.TempDir(), "g")
	d := open(t, dir, tiny(50))
	must(t, d.Record("tiers", random))
	must(t, d.Record("rounding", 1))
	finish(t, d, 50, false)
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	var v any
	for name, want := range map[string]bool{"tiers": false, "rounding": true} {
		if ok, err := s.Record(name, &v); ok != want || err != nil {
			t.Errorf("record %s is there: %v, %v; want %v", name, ok, err, want)
		}
	}
	tables, err := filepath.Glob(filepath.Join(dir, graphName, "*"))
	must(t, err)
	sum := int64(0)
	for _, path := range tables {
		info, err := os.Stat(path)
		must(t, err)
		sum += info.Size()
	}
	if sum > size/2 {
		t.Errorf("%d bytes in %s, want few beside the %d of the record", sum, graphName, size)
	}
}
