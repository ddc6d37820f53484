package judge

import (
	"context"
	"math"
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestSampled: points on a line have the neighbors that they look to have.
func TestSampled(t *testing.T) {
	const n, k = 50, 4
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(i)
	}
	rows, err := vectors.FromFloat32(data, 1)
	if err != nil {
		t.Fatal(err)
	}
	j, err := Sampled(context.Background(), rows, distance.Euclidean, k, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Rows()) != n {
		t.Fatalf("%d rows", len(j.Rows()))
	}
	// Those before a row are half of its neighbors, all of the last row's, none of the first's.
	want := 0.0
	for i := range n {
		own := max(min(i, 2), k-(n-1-i))
		want += float64(own) / k / n
	}
	est, err := j.Ids(k, rows, func(row uint32) (ids []int32) {
		for d := range int32(k) {
			ids = append(ids, int32(row)-1-d)
		}
		return ids
	})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(est.Recall-want) > 1e-9 {
		t.Errorf("recall %v, want %v", est.Recall, want)
	}
}
