package generate

import (
	"math"
	"slices"
)

// Dimension is an estimate of intrinsic dimension.
type Dimension struct {
	Median float64 // of the estimates at the single rows
	Mean   float64 // 1 / mean of 1/estimate, after MacKay and Ghahramani
	Rows   int     // that have an estimate
}

// Estimate is the maximum likelihood estimate of the intrinsic dimension (Levina
// and Bickel, "Maximum likelihood estimation of intrinsic dimension", NIPS 2004,
// equation 8): at a row whose neighbors stand at distances T_1 <= ... <= T_k,
//
//	m = ( 1/(k-1) * sum over j < k of log(T_k / T_j) )^-1
//
// keys(i) are squared euclidean distances of row i's k nearest others, ascending.
// Copies of a row, at distance 0, are left out. Over rows, inverses are averaged:
// that is the maximum of the joint likelihood (MacKay and Ghahramani, "Comments on
// 'Maximum likelihood estimation of intrinsic dimension'", 2005), while a mean of
// the estimates is biased upwards. The median is of the estimates.
func Estimate(rows int, keys func(i int) []float32) (d Dimension) {
	var all []float64
	sum := 0.0
	for i := range rows {
		if inverse, ok := inverseDimension(keys(i)); ok {
			all = append(all, 1/inverse)
			sum += inverse
		}
	}
	if len(all) == 0 {
		return d
	}
	slices.Sort(all)
	return Dimension{
		Median: (all[(len(all)-1)/2] + all[len(all)/2]) / 2,
		Mean:   float64(len(all)) / sum,
		Rows:   len(all),
	}
}

// inverseDimension is 1/m, and whether there is one: not for rows whose
// neighbors are all copies, or all at one distance.
func inverseDimension(keys []float32) (float64, bool) {
	for len(keys) > 0 && keys[0] == 0 {
		keys = keys[1:]
	}
	if len(keys) < 2 {
		return 0, false
	}
	last, sum := math.Log(float64(keys[len(keys)-1])), 0.0
	for _, key := range keys[:len(keys)-1] {
		sum += (last - math.Log(float64(key))) / 2 // of squares
	}
	return sum / float64(len(keys)-1), sum > 0
}
