package recall

import "math"

// alpha is the probability that an interval misses.
const alpha = 0.05

// Interval estimates the mean recall of all n rows from the recalls, in [0,1],
// of rows drawn without replacement. It holds the true mean with 95 %
// confidence; where the same build is looked at several times and any of the
// looks may be acted on, all looks intervals hold together with 95 % (each
// misses with 5 %/looks at most, after Bonferroni). looks below 1 is 1. With
// all n rows given there is nothing to estimate and low = mean = high; with
// none, the interval is [0, 1].
//
// # The method
//
// Recalls are skewed: most rows are perfect, a few miss much. At a mean of 0.95
// and above, with 50 to 300 rows, the usual mean ± t*s/sqrt(m) is too high: it
// misses the truth on the low side, and mostly there. Hall (1992, "On the
// removal of skewness by transformation") corrects the studentized mean T by
//
//	g(T) = T + A*T^2 + A^2*T^3/3 + B
//
// a cubic that is monotone and so can be inverted in closed form. A and B follow
// from the third moment; sampling the share f of a finite population (variance
// of the mean (1-f)*S^2/m) gives, by the cumulants of T under sampling without
// replacement,
//
//	A = (2-f) / (6*sqrt(1-f)) * skew/sqrt(m)
//	B = (1-2f) / (6*sqrt(1-f)) * skew/sqrt(m)
//
// which for f = 0 are Hall's 1/3 and 1/6. skew is the mean of two estimates: the
// sample's own, which is noisy and in small samples too extreme, and that of a
// distribution whose variance grows with its mean p as p(1-p) does, the one that
// Wilson's score interval rests on. Half of each covers as well as Hall's alone
// and is up to a fifth shorter.
//
// # Measured
//
// Coverage in percent over 4,000 draws (5,000 for the last two methods), from
// 20,000 or 5,000 rows. real: the recalls of a graph of random divisions over
// SIFT; beta(c): binomial recalls of 20 neighbors whose probability is
// beta-distributed with concentration c; hard: two kinds of rows, one that
// finds half of its neighbors and one that finds nearly all.
//
//	population      rows   t     Wilson  sample's skew  this
//	real 0.98       50     --    93.3    96.0           96.1
//	real 0.98       300    --    94.8    95.2           95.2
//	beta(4) 0.95    50     91.0  92.7    95.8           95.5
//	beta(4) 0.99    50     82.7  88.0    95.3           95.5
//	beta(4) 0.99    100    85.9  89.5    95.9           96.1
//	beta(4) 0.99    300    90.9  93.3    96.0           95.2
//	beta(20) 0.99   50     90.6  95.0    98.0           98.3
//	hard 0.95       50     87.6  89.9    94.7           93.9
//	hard 0.95       100    91.1  93.7    97.7           96.8
//	hard 0.99       50     60.3  64.4    86.1           86.2
//	hard 0.99       100    73.6  73.5    79.0           79.2
//	hard 0.99       300    88.0  90.8    96.2           95.9
//
// (Wilson: the score interval with the effective sample size p(1-p)/var.) From
// 1,000 rows all but the t interval are within 1 % of 95. The two failures are
// no fault of a formula: where 1.6 % of the rows make up nearly all that is
// missing, half of the samples of 50 hold none of them, and nothing in such a
// sample tells. Use 300 rows or more above 0.99.
//
// # Nothing varies
//
// Equal recalls say nothing about the variance. What can be said is how many
// rows may differ and still not be met: the most of n rows for which a sample
// of m equal ones has a probability above 2.5 %, about n*3.7/m. All of them
// might miss everything, or nothing. So 1,000 perfect rows of a million give
// [0.9963, 1].
//
// The bounds never contradict what was seen: the sampled rows count with their
// own recalls, the others with at least 0 and at most 1. They are rounded
// outwards to six places, beyond which CPUs that fuse multiplications and
// additions may differ.
func Interval(perRow []float64, n, looks int) (mean, low, high float64) {
	m := len(perRow)
	if m == 0 {
		return 0, 0, 1
	}
	if m >= n {
		mean = meanOf(perRow)
		return mean, mean, mean
	}
	s := momentsOf(perRow)
	tail := alpha / 2 / float64(max(looks, 1))
	if s.variance == 0 {
		unmet := float64(mostUnmet(m, n, tail)) / float64(n)
		low, high = s.mean-unmet*s.mean, s.mean+unmet*(1-s.mean)
	} else {
		low, high = s.bounds(m, n, quantileT(tail, m-1))
	}
	seen := s.mean * float64(m)
	low = max(low, seen/float64(n))
	high = min(high, (seen+float64(n-m))/float64(n))
	return s.mean, min(s.mean, math.Floor(low*1e6)/1e6), max(s.mean, min(1, math.Ceil(high*1e6)/1e6))
}

// moments are a sample's mean, unbiased variance and skewness.
type moments struct{ mean, variance, skew float64 }

func meanOf(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

func momentsOf(xs []float64) moments {
	s := moments{mean: meanOf(xs)}
	var square, cube float64
	constant := true
	for _, x := range xs {
		d := x - s.mean
		square += d * d
		cube += d * d * d
		constant = constant && x == xs[0]
	}
	if constant {
		// The mean of equal numbers may differ from them by rounding.
		s.mean = xs[0]
		return s
	}
	m := float64(len(xs))
	s.variance = square / (m - 1)
	if m > 2 {
		s.skew = cube * m / ((m - 1) * (m - 2)) / (s.variance * math.Sqrt(s.variance))
	}
	return s
}

// expected is the skewness of a distribution on [0,1] of this mean and variance
// whose variance changes with the mean p in proportion to p(1-p): the
// derivative, divided by the standard deviation.
func (s moments) expected() float64 {
	return (1 - 2*s.mean) / (s.mean * (1 - s.mean)) * math.Sqrt(s.variance)
}

// maxShare is the share of a population from which the skewness terms grow no
// further: they rest on what is left out being many.
const maxShare = 0.9

// bounds inverts Hall's transformation at -q and q.
func (s moments) bounds(m, n int, q float64) (low, high float64) {
	f := float64(m) / float64(n)
	skew := (s.skew + s.expected()) / 2 / math.Sqrt(float64(m))
	capped := min(f, maxShare)
	a := (2 - capped) / (6 * math.Sqrt(1-capped)) * skew
	b := (1 - 2*capped) / (6 * math.Sqrt(1-capped)) * skew
	deviation := math.Sqrt(s.variance * (1 - f) / float64(m))
	return s.mean - deviation*untransform(q, a, b), s.mean - deviation*untransform(-q, a, b)
}

// untransform solves t + a*t^2 + a^2*t^3/3 + b = y for t.
func untransform(y, a, b float64) float64 {
	if math.Abs(a) < 1e-6 {
		return y - b
	}
	return (math.Cbrt(1+3*a*(y-b)) - 1) / a
}
