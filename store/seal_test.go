package store

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
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

// TestSealStopped: the error of a context that ended the hashing of several files is given once.
func TestSealStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	err := seal(ctx, vfs.Default, home(t, finished(t, 50, false)), nil, nil, func() error { return nil })
	if want := "store: " + context.Canceled.Error(); !errors.Is(err, context.Canceled) || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}
