package rebuild_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/vectors"
)

// wide is how many elements rows have of which divisions find few neighbors at once.
const wide = 10

func buildWide(t *testing.T, dir string, data []float32) *builder.Result {
	t.Helper()
	in, err := vectors.FromFloat32(data, wide)
	must(t, err)
	result, err := builder.Build(t.Context(), dir, vectors.NewInput(in), builder.Options{K: 10, Recall: 0.95, Method: builder.Balls})
	must(t, err)
	return result
}

// TestMergeBegins: a merge begins from the lists of its parts: it reaches the recall of a build
// with fewer pairs, and is the same on any number of threads and after an interruption.
func TestMergeBegins(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	rng := rand.New(rand.NewPCG(1, 1))
	data := make([]float32, 16000*wide)
	for i := range data {
		data[i] = float32(rng.NormFloat64())
	}
	buildWide(t, path("a"), data[:8000*wide])
	buildWide(t, path("b"), data[8000*wide:])
	whole := buildWide(t, path("whole"), data)
	from := []string{path("a"), path("b")}
	one, err := rebuild.Merge(t.Context(), path("one"), 0, from, rebuild.Options{Threads: 1})
	must(t, err)
	if one.RequestedPairs > whole.RequestedPairs || one.Recall.High < 0.95 {
		t.Errorf("%d pairs and recall %+v, a build takes %d for %+v", one.RequestedPairs, one.Recall, whole.RequestedPairs, whole.Recall)
	}
	ctx, cancel := context.WithCancel(t.Context())
	phases := 0
	_, err = rebuild.Merge(ctx, path("two"), 0, from, rebuild.Options{Threads: 2, Progress: func(builder.Event) {
		if phases++; phases == 12 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	two, err := rebuild.Merge(t.Context(), path("two"), 0, from, rebuild.Options{Threads: 2})
	must(t, err)
	if two.Checksum != one.Checksum {
		t.Errorf("checksum %s on two threads, %s on one", two.Checksum, one.Checksum)
	}
}
