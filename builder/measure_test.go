package builder_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestMeasureRecall: measured on all rows, recall is what comparing the lists with
// exact ones says, whatever the elements and the metric.
func TestMeasureRecall(t *testing.T) {
	const n, dim = 700, 12
	values := clustered(5, n, dim)
	for _, typ := range []vectors.Type{vectors.Uint8, vectors.Float32} {
		size := dim * typ.Size()
		data := make([]byte, n*size)
		for i := range n {
			if err := vectors.Encode(typ, values[i*dim:(i+1)*dim], data[i*size:(i+1)*size]); err != nil {
				t.Fatal(err)
			}
		}
		rows, err := vectors.RowsOf(data, n, dim, size, typ)
		if err != nil {
			t.Fatal(err)
		}
		for _, metric := range []distance.Metric{distance.Euclidean, distance.Cosine, distance.IP} {
			dir := filepath.Join(t.TempDir(), "g")
			_, lists := build(t, dir, vectors.NewInput(rows), builder.Options{K: 6, Metric: metric,
				Method: builder.Paper, Divisions: 1, LeafSize: 60, Propagation: builder.Off})
			want := recallOf(lists, bruteForce(t, values, dim, 6, metric))
			s, err := store.Open(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			est, err := builder.MeasureRecall(context.Background(), s, n, 1, nil)
			s.Close()
			if err != nil || math.Abs(est.Recall-want) > 1e-9 || est.Sample != n {
				t.Errorf("%v, %v: recall %v of %d rows, want %v: %v", typ, metric, est.Recall, est.Sample, want, err)
			}
		}
	}
}
