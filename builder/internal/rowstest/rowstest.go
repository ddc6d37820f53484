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
