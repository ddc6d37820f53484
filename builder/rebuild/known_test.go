package rebuild_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/vectors"
)

// wide is how many elements rows have of which divisions find few neighbors at once.
const wide = 10

// wideRows makes rows of whole numbers from 0 to 255, normal around a middle.
func wideRows(seed uint64, n int, middle float64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	data := make([]float32, n*wide)
	for i := range data {
		data[i] = float32(int(min(255, max(0, middle+25*rng.NormFloat64()))))
	}
	return data
}

func wideInput(t *testing.T, typ vectors.Type, data []float32) *vectors.Input {
	t.Helper()
	n, size := len(data)/wide, wide*typ.Size()
	raw := make([]byte, n*size)
	for i := range n {
		must(t, vectors.Encode(typ, data[i*wide:(i+1)*wide], raw[i*size:(i+1)*size]))
	}
	in, err := vectors.RowsOf(raw, n, wide, size, typ)
	must(t, err)
	return vectors.NewInput(in)
}

func buildWide(t *testing.T, dir string, typ vectors.Type, data []float32) *builder.Result {
	t.Helper()
	return buildAt(t, dir, typ, data, 0.95)
}

func buildAt(t *testing.T, dir string, typ vectors.Type, data []float32, recall float64) *builder.Result {
	t.Helper()
	result, err := builder.Build(t.Context(), dir, wideInput(t, typ, data), builder.Options{K: 10, Recall: recall, Method: builder.Balls})
	must(t, err)
	return result
}

// TestMergeBegins: a merge begins from the lists of its parts: it reaches the recall of a build
// with fewer pairs, and is the same on any number of threads and after an interruption. Of bytes
// the keys of lists are taken as they are, of floats pairs are compared again; parts are of the
// same rows, of different sizes, or lie apart.
func TestMergeBegins(t *testing.T) {
	same := wideRows(1, 16000, 128)
	for _, c := range []struct {
		name string
		typ  vectors.Type
		data []float32
		ends []int
	}{
		{"halves of bytes", vectors.Uint8, same, []int{8000, 16000}},
		{"halves of floats", vectors.Float32, same, []int{8000, 16000}},
		{"three parts of bytes", vectors.Uint8, same, []int{9000, 9500, 16000}},
		{"parts that lie apart", vectors.Uint8, append(wideRows(2, 6000, 70), wideRows(3, 6000, 190)...), []int{6000, 12000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := func(name string) string { return filepath.Join(dir, name) }
			var from []string
			begin := 0
			for i, end := range c.ends {
				from = append(from, path(strconv.Itoa(i)))
				buildWide(t, from[i], c.typ, c.data[begin*wide:end*wide])
				begin = end
			}
			whole := buildWide(t, path("whole"), c.typ, c.data)
			one, err := rebuild.Merge(t.Context(), path("one"), 0, from, rebuild.Options{Threads: 1})
			must(t, err)
			if one.RequestedPairs > whole.RequestedPairs || one.Recall.High < 0.95 {
				t.Errorf("%d pairs and recall %+v, a build takes %d for %+v", one.RequestedPairs, one.Recall, whole.RequestedPairs, whole.Recall)
			}
			for _, after := range []bool{false, true} { // during the known lists, and after them
				ctx, cancel := context.WithCancel(t.Context())
				known := false
				to := path("two" + strconv.FormatBool(after))
				_, err = rebuild.Merge(ctx, to, 0, from, rebuild.Options{Threads: 2, Progress: func(e builder.Event) {
					if here := e.Phase == "known lists"; here && !after || known && !here && e.Phase != "" {
						cancel()
					} else if here {
						known = true
					}
				}})
				if !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
				two, err := rebuild.Merge(t.Context(), to, 0, from, rebuild.Options{Threads: 2})
				must(t, err)
				if two.Checksum != one.Checksum {
					t.Errorf("stopped after known lists %v: checksum %s on two threads, %s on one", after, two.Checksum, one.Checksum)
				}
			}
		})
	}
}
