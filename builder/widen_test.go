package builder_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// hotRows are sets of three of many columns, some much more often than others: of most rows all
// neighbors are found at once or none.
func hotRows(t *testing.T, n, dim int) *vectors.Rows {
	rng := rand.New(rand.NewPCG(36, 6)) // one of which recall is uncertain
	data := make([]float32, n*dim)
	for i := range n {
		for range 3 {
			u := rng.Float64()
			data[i*dim+int(float64(dim)*u*u*u)] = 1
		}
	}
	rows, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestMoreRowsSteer: where few rows tell recall badly, more steer; and a build that is stopped
// there makes the same graph.
func TestMoreRowsSteer(t *testing.T) {
	if testing.Short() {
		t.Skip("builds three graphs")
	}
	defer builder.KeepEvery(0)()
	rows := hotRows(t, 17_000, 200)
	o := builder.Options{K: 20, Metric: distance.Cosine, Method: builder.Balls, Recall: 0.95}
	whole := filepath.Join(t.TempDir(), "g")
	wide := false
	o.Progress = func(e builder.Event) { wide = wide || strings.Contains(e.Message, "1024 rows steer") }
	if _, err := builder.Build(context.Background(), whole, vectors.NewInput(rows), o); err != nil {
		t.Fatal(err)
	}
	if !wide {
		t.Fatal("256 rows told recall well: there is nothing to see")
	}
	stopped, _ := stoppedAt(t, rows, o, "1024 rows steer")
	if !reflect.DeepEqual(read(t, whole), read(t, stopped)) {
		t.Error("the graph of a build that was stopped differs")
	}
}

// stoppedAt builds until a message that contains words, and goes on from there. It returns the store and
// its result.
func stoppedAt(t *testing.T, rows *vectors.Rows, o builder.Options, words string) (dir string, res *builder.Result) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "g")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o.Progress = func(e builder.Event) {
		if strings.Contains(e.Message, words) {
			cancel()
		}
	}
	if _, err := builder.Build(ctx, dir, vectors.NewInput(rows), o); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: %v", err)
	}
	o.Progress = nil
	res, err := builder.Build(context.Background(), dir, vectors.NewInput(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	return dir, res
}
