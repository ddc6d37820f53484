package builder_test

import (
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/vectors"
)

// opCounts counts the operations on files below it.
type opCounts struct {
	mu sync.Mutex
	of map[errorfs.OpKind]int
}

func (c *opCounts) MaybeError(op errorfs.Op) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of[op.Kind]++
	return nil
}

func (c *opCounts) String() string { return "opCounts" }

// TestSmallBuild: a build of 1,000 rows makes few files, syncs each file once and leaves little on
// disk beside rows and lists. It takes some 40 ms, of which each of these is a part.
func TestSmallBuild(t *testing.T) {
	defer builder.LargeBlocks()()
	const n, dim, k = 1000, 128, 20
	rows, _ := rowstest.Bytes(t, rand.New(rand.NewPCG(1, 1)), n, dim, 256)
	dir := filepath.Join(t.TempDir(), "g")
	ops := &opCounts{of: map[errorfs.OpKind]int{}}
	o := builder.Options{K: k, Threads: 2}.On(errorfs.Wrap(vfs.Default, ops)).Early(time.Hour)
	got, err := builder.Build(t.Context(), dir, vectors.NewInput(rows), o)
	if err != nil || got.Method != builder.Exact {
		t.Fatal(got, err)
	}
	files, bytes := filesBelow(t, dir)
	for _, c := range []struct {
		name      string
		got, most int
	}{
		{"syncs", ops.of[errorfs.OpFileSync] + ops.of[errorfs.OpFileSyncData], 26},
		{"files made", ops.of[errorfs.OpCreate], 36},
		{"writes", ops.of[errorfs.OpFileWrite] + ops.of[errorfs.OpFileWriteAt], 150},
		{"files in the end", files, 17},
		{"bytes on disk", bytes, n*dim + 8*n*k + 64<<10},
	} {
		if c.got > c.most {
			t.Errorf("%d %s, want at most %d", c.got, c.name, c.most)
		}
		t.Logf("%d %s", c.got, c.name)
	}
}

// smallBuildAlone is set in the process that TestSmallBuildAllocates begins.
const smallBuildAlone = "KNNG_SMALL_BUILD_ALONE"

// TestSmallBuildAllocates: such a build allocates some 6 MiB, 9 where Pebble's memory is Go's. The count is of the
// whole process, so it is taken in one where nothing else was done.
func TestSmallBuildAllocates(t *testing.T) {
	if os.Getenv(smallBuildAlone) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestSmallBuildAllocates$", "-test.v")
		child.Env = append(os.Environ(), smallBuildAlone+"=1")
		out, err := child.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		t.Logf("%s", out)
		return
	}
	defer builder.LargeBlocks()()
	rows, _ := rowstest.Bytes(t, rand.New(rand.NewPCG(1, 1)), 1000, 128, 256)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := builder.Build(t.Context(), filepath.Join(t.TempDir(), "g"), vectors.NewInput(rows), builder.Options{K: 20, Threads: 2})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(10<<20); got > most {
		t.Errorf("%d bytes allocated, want at most %d", got, most)
	} else {
		t.Logf("%d bytes allocated", got)
	}
}

// filesBelow counts the files of a folder, and their bytes.
func filesBelow(t *testing.T, dir string) (files, bytes int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			files, bytes = files+1, bytes+int(info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, bytes
}

// BenchmarkSmallBuild builds the graph of 1,000 rows of 128 bytes, to the finished store.
func BenchmarkSmallBuild(b *testing.B) {
	defer builder.LargeBlocks()()
	rows, _ := rowstest.Bytes(b, rand.New(rand.NewPCG(1, 1)), 1000, 128, 256)
	dir := filepath.Join(b.TempDir(), "g")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := builder.Build(b.Context(), dir, vectors.NewInput(rows), builder.Options{}); err != nil {
			b.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFlatSearch finds the 20 nearest of each of the same rows as a program would that builds no graph: all distances of a
// row by the kernels of package distance, then the nearest. A build takes less than three times as long (bench/results/speed).
func BenchmarkFlatSearch(b *testing.B) {
	const n, k = 1000, 20
	rows, space := rowstest.Bytes(b, rand.New(rand.NewPCG(1, 1)), n, 128, 256)
	ids, keys := make([]uint32, n), make([]float32, n)
	for i := range ids {
		ids[i] = uint32(i)
	}
	nearest := make([]uint64, 0, k+1)
	b.ReportAllocs()
	for b.Loop() {
		for i := range n {
			space.Keys(rows.Row(i), 0, rows.Base(), rows.Stride(), nil, ids, keys)
			nearest = nearest[:0]
			for j, key := range keys {
				e := uint64(math.Float32bits(key))<<32 | uint64(j)
				if j == i || len(nearest) == k && e >= nearest[k-1] {
					continue
				}
				at, _ := slices.BinarySearch(nearest, e)
				nearest = slices.Insert(nearest, at, e)[:min(k, len(nearest)+1)]
			}
		}
	}
}
