package builder_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestSourceTruncated cuts a mapped source short while it is used, in one phase
// after the other: an error comes back, and the process lives.
func TestSourceTruncated(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be truncated there")
	}
	const dim = 64
	n, types := 3000, []vectors.Type{vectors.Uint8, vectors.Float32}
	if testing.Short() {
		n, types = 1000, types[1:]
	}
	for _, typ := range types {
		for _, build := range []struct {
			options builder.Options
			phases  []string
		}{
			{builder.Options{Method: builder.Balls}, []string{"load", "controls", "division", "propagation", "rerank"}},
			{builder.Options{Method: builder.Paper, Paper: builder.PaperOptions{Visits: 50}}, []string{"load", "division", "propagation"}},
			{builder.Options{Method: builder.Paper, Paper: builder.PaperOptions{Visits: 50}, Metric: distance.Cosine}, []string{"load", "division", "propagation"}},
			{builder.Options{Method: builder.Exact}, []string{"load", "exact"}},
			{builder.Options{Method: builder.Parts}, []string{"leaders", "division"}},
		} {
			o := build.options
			o.K, o.LeafSize, o.Reference = 5, 100, true
			for _, phase := range build.phases {
				truncateIn(t, typ, n, dim, phase, o)
			}
		}
	}
}

// truncateIn builds from a file that shrinks when a phase begins. Builds that have read
// all rows by then, or do without that phase, end well.
func truncateIn(t *testing.T, typ vectors.Type, n, dim int, phase string, o builder.Options) {
	t.Helper()
	path := filepath.Join(t.TempDir(), map[vectors.Type]string{vectors.Uint8: "rows.u8bin", vectors.Float32: "rows.fbin"}[typ])
	w, err := vectors.Create(path, typ, dim)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	row, values := make([]byte, dim*typ.Size()), make([]float32, dim)
	for range n {
		for j := range values {
			values[j] = float32(rng.IntN(200))
		}
		if err := vectors.Encode(typ, values, row); err != nil {
			t.Fatal(err)
		}
		if err := w.Append(row, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	in, err := vectors.Open([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cut := false
	o.Progress = func(e builder.Event) {
		if strings.HasPrefix(e.Phase, phase) && !cut {
			cut = true
			if err := os.Truncate(path, 4096); err != nil {
				t.Error(err)
			}
		}
	}
	_, err = builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), in, o)
	if cut && !errors.Is(err, vectors.ErrFault) {
		t.Errorf("%v rows, %s, cut short in %q: error %v, want ErrFault", typ, o.Method, phase, err)
	}
	if !cut && err != nil {
		t.Errorf("%v rows, %s, not cut short: %v", typ, o.Method, err)
	}
}
