package recall

import "math"

// confidence of all intervals.
const confidence = 0.95

// Interval estimates the mean recall of n rows from a sample of per-row
// recalls: the mean and a 95 % confidence interval. looks is how often the same
// rows have been looked at to decide whether to stop (1 for a single report);
// the error allowed is divided among the looks (Bonferroni).
//
// Per-row recalls crowd at 1 with a tail to the left, and a plain t interval
// then misses the truth too often from above. Hall's transformation (Hall 1992,
// "On the removal of skewness by transformation") takes the sample's skewness
// out; the finite population correction makes the interval shrink to a point as
// the sample becomes the population. Over 1,000 draws of 50 to 1,000 rows from
// populations with means 0.80 to 0.99 it covers the truth 93 to 97 % of the
// time (TestCoverage).
func Interval(perRow []float64, n, looks int) (mean, low, high float64) {
	m := float64(len(perRow))
	if m == 0 {
		return 0, 0, 1
	}
	alpha := (1 - confidence) / float64(max(looks, 1))
	mean, sd, skew := moments(perRow)
	if len(perRow) >= n {
		return mean, mean, mean
	}
	if sd == 0 || m < 3 {
		return mean, mean * math.Pow(alpha/2, 1/m), 1 - (1-mean)*math.Pow(alpha/2, 1/m)
	}
	finite := math.Sqrt(1 - m/float64(n))
	step := sd / math.Sqrt(m) * finite
	t := tQuantile(1-alpha/2, m-1)
	w := skew / math.Sqrt(m) * finite
	return mean, clip(mean - step*hall(t, w)), clip(mean - step*hall(-t, w))
}

// hall is the inverse of Hall's cubic transformation of a t statistic, w being
// skewness over the root of the sample size.
func hall(t, w float64) float64 {
	if math.Abs(w) < 1e-6 {
		return t
	}
	return 3 / w * (math.Cbrt(1+w*(t-w/6)) - 1)
}

func clip(x float64) float64 { return min(max(x, 0), 1) }

// moments returns mean, standard deviation and skewness (both with divisor n-1
// or near it).
func moments(x []float64) (mean, sd, skew float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	var m2, m3 float64
	for _, v := range x {
		d := v - mean
		m2 += d * d
		m3 += d * d * d
	}
	if m2 <= 1e-24 || n < 3 {
		return mean, 0, 0
	}
	sd = math.Sqrt(m2 / (n - 1))
	skew = m3 / n / math.Pow(m2/n, 1.5)
	return mean, sd, skew * math.Sqrt(n*(n-1)) / (n - 2)
}

// tQuantile is the quantile of Student's t by the expansion of Cornish and
// Fisher: four digits from 5 degrees of freedom on.
func tQuantile(p, df float64) float64 {
	z := math.Sqrt2 * math.Erfinv(2*p-1)
	z2 := z * z
	return z + z*(z2+1)/(4*df) + z*(5*z2*z2+16*z2+3)/(96*df*df) +
		z*(3*z2*z2*z2+19*z2*z2+17*z2-15)/(384*df*df*df)
}
