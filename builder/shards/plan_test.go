package shards_test

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/shards"
)

// TestShardsPlanHolds: bytes that a plan says are written, and of the run at its peak, are within
// a factor 1.3 of those of the files of a run. Lists of solve are counted twice: a task writes
// them into its scratch folder first.
func TestShardsPlanHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	const n, dim = 20000, 96
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = float32(rng.IntN(256))
	}
	paths := shardInput(t, data, dim, true, 1)
	o := builder.Options{K: 10, Divisions: 8, Method: builder.Parts}
	p, err := builder.Plan(context.Background(), openInput(t, paths), o)
	if err != nil {
		t.Fatal(err)
	}
	run := begin(t, paths, o, shards.Cut{Rows: 6000})
	sizes := map[string]int64{} // of all files that there ever were
	var peak int64
	look := func() {
		var sum int64
		err := filepath.WalkDir(run, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			info, err := os.Stat(path)
			if err == nil {
				sizes[path] = info.Size()
				sum += info.Size()
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		peak = max(peak, sum)
	}
	if err := drive(t, run, shards.Worker{Threads: 2, Memory: 512 << 20}, nil, func(*shards.Run, shards.Task) { look() }); err != nil {
		t.Fatal(err)
	}
	look()
	var written int64
	for path, size := range sizes {
		written += size
		if strings.Contains(path, string(filepath.Separator)+"solve"+string(filepath.Separator)) {
			written += size
		}
	}
	s := shards.PlanOf(p, dim, 2, 1)
	t.Logf("written %d, planned %d; peak %d, planned %d", written, s.WrittenBytes, peak, s.PeakDiskBytes)
	for _, b := range [][2]int64{{written, s.WrittenBytes}, {peak, s.PeakDiskBytes}} {
		if 10*max(b[0], b[1]) > 13*min(b[0], b[1]) {
			t.Errorf("planned %d bytes, the run has %d", b[1], b[0])
		}
	}
}
