package builder_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
)

// TestManyDimensions: of rows that divisions cannot tell apart, all pairs are compared at once
// and nothing is spent before.
func TestManyDimensions(t *testing.T) {
	const n, dim = 5200, 500
	data := gaussian(rand.New(rand.NewPCG(6, 8)), n, dim)
	o := builder.Options{K: 10, Method: builder.Balls, Recall: 0.9}
	res, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
	if all := int64(n) * (n - 1) / 2; res.RequestedPairs > all {
		t.Errorf("%d pairs, all are %d", res.RequestedPairs, all)
	}
}

// TestLostDivision: where a division costs much beside all pairs, and would be followed by these
// anyway, it is left out. A plan by counts does not see that.
func TestLostDivision(t *testing.T) {
	const n, dim = 7000, 200
	data := gaussian(rand.New(rand.NewPCG(6, 9)), n, dim)
	o := builder.Options{K: 10, Method: builder.Balls, Recall: 0.9}
	res, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
	if all := int64(n) * (n - 1) / 2; res.RequestedPairs > all {
		t.Errorf("%d pairs, all are %d", res.RequestedPairs, all)
	}
}
