package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// checkShares refuses numbers that are no share of a sample.
func checkShares(shares []float64) error {
	for _, s := range shares {
		if !(s >= 0 && s <= 1) {
			return fmt.Errorf("analysis: quantile %v, want 0 to 1", s)
		}
	}
	return nil
}

// quantiles sorts the values and returns for every share the smallest value that
// at least so many of them do not exceed; at share 0 the least.
func quantiles[V cmp.Ordered](values []V, shares []float64) []V {
	slices.Sort(values)
	at := []V{}
	for _, s := range shares {
		if n := len(values); n > 0 {
			at = append(at, values[max(0, int(math.Ceil(s*float64(n)))-1)])
		}
	}
	return at
}
