// Package rowstest draws rows for the tests of package builder and its children.
package rowstest

import (
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
)

// Bytes draws n rows of dim elements below values, at most 256: few values make ties and
// equal rows. The space is the Euclidean.
func Bytes(t testing.TB, rng *rand.Rand, n, dim, values int) (*vectors.Rows, *distance.Space) {
	t.Helper()
	data := make([]byte, n*dim)
	for i := range data {
		data[i] = byte(rng.IntN(values))
	}
	rows, err := vectors.RowsOf(data, n, dim, dim, vectors.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	space, err := distance.New(distance.Euclidean, vectors.Uint8, dim)
	if err != nil {
		t.Fatal(err)
	}
	return rows, space
}

// Codes are the codes of such rows.
func Codes(t testing.TB, rng *rand.Rand, n, dim, values int) *codes.Matrix {
	t.Helper()
	rows, space := Bytes(t, rng, n, dim, values)
	m, err := codes.Of(rows, space, codes.Rounding{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Clustered draws n rows of dim whole numbers below 72 around 20 centers, so that there are ties and
// identical rows.
func Clustered(seed uint64, n, dim int) []float32 {
	rng := rand.New(rand.NewPCG(seed, 7))
	centers := make([]float32, 20*dim)
	for i := range centers {
		centers[i] = float32(rng.IntN(64))
	}
	data := make([]float32, 0, n*dim)
	for range n {
		c := rng.IntN(20) * dim
		for j := range dim {
			data = append(data, centers[c+j]+float32(rng.IntN(9)))
		}
	}
	return data
}
