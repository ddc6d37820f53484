package judge

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/bench/generate"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Screened lists are those of comparing every pair, and survive a file.
func TestScreened(t *testing.T) {
	const n, k, m = 3000, 20, 40
	for _, typ := range []vectors.Type{vectors.Uint8, vectors.Float16, vectors.Float32} {
		source, err := generate.New(n, 24, typ, 3)
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, n*24*typ.Size())
		if err := source.ReadRows(0, data); err != nil {
			t.Fatal(err)
		}
		rows, err := vectors.RowsOf(data, n, 24, 24*typ.Size(), typ)
		if err != nil {
			t.Fatal(err)
		}
		j, err := Sampled(t.Context(), rows, distance.Euclidean, k, m, 5)
		if err != nil {
			t.Fatal(err)
		}
		space, err := distance.New(distance.Euclidean, typ, 24)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := recall.Search{K: k}.Rows(t.Context(), rows, space, j.Rows())
		if err != nil {
			t.Fatal(err)
		}
		gt, ids := filepath.Join(t.TempDir(), "x.gt"), filepath.Join(t.TempDir(), "x.rows.ibin")
		if err := j.Save(gt, ids); err != nil {
			t.Fatal(err)
		}
		read, err := New(gt, ids, n, distance.Euclidean)
		if err != nil {
			t.Fatal(err)
		}
		for i := range j.Rows() {
			neighbors, keys := want.List(i)
			got, _ := read.truth.List(i)
			if !slices.Equal(got, neighbors) || !slices.Equal(read.Exact(i), keys) {
				t.Errorf("%v: row %d: %v, want %v", typ, j.Rows()[i], got, neighbors)
			}
		}
	}
}
