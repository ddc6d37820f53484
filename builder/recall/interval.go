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
// Wilson's score interval rests on. Half of each covers as well as the sample's
// alone and is up to a sixth shorter.
//
// # Measured
//
// Coverage in percent over 5,000 draws of m of 20,000 rows. sift: the recalls of
// graphs of random divisions over a part of SIFT; beta(c): binomial recalls of
// 20 neighbors whose probability is beta-distributed with concentration c;
// hard: two kinds of rows, one that finds half of its neighbors and one that
// finds nearly all.
//
//	population      m      t     Wilson  Hall   this (width)   Hall's width
//	sift 0.82       50     94.3  95.2    95.6   95.4 (0.0894)  0.0899
//	sift 0.95       50     93.3  94.5    95.5   95.5 (0.0450)  0.0474
//	sift 0.98       50     90.7  93.8    95.7   95.7 (0.0295)  0.0335
//	sift 0.98       300    94.6  94.8    95.2   95.2 (0.0100)  0.0100
//	beta(4) 0.95    50     90.6  93.0    95.8   95.3 (0.0696)  0.0841
//	beta(4) 0.99    50     81.9  87.9    95.3   95.5 (0.0519)  0.0518
//	beta(4) 0.99    100    86.1  90.2    96.0   96.3 (0.0330)  0.0362
//	beta(4) 0.99    300    91.4  93.8    96.2   95.6 (0.0119)  0.0132
//	beta(20) 0.99   50     90.6  94.8    98.0   98.3 (0.0260)  0.0284
//	hard 0.95       50     87.7  89.9    94.7   94.0 (0.1324)  0.1539
//	hard 0.95       100    90.9  92.8    97.2   96.3 (0.0666)  0.0797
//	hard 0.99       50     58.3  62.0    86.4   86.5 (0.0662)  0.0642
//	hard 0.99       100    72.7  72.4    77.2   77.3 (0.0529)  0.0517
//	hard 0.99       300    88.2  91.1    96.6   96.1 (0.0256)  0.0299
//
// (Wilson: the score interval with the effective sample size p(1-p)/var.) From
// 1,000 rows on this one is within 1 % of 95 on all of them, and t at 92.5 on
// the last. The two failures are no fault of a formula: where 1.6 % of the rows
// make up nearly all that is missing, half of the samples of 50 hold none of
// them, and nothing in such a sample tells. Above 0.99, use 300 rows or more.
//
// # Nothing varies
//
// Equal recalls say nothing about the variance. They bound how many
// rows may differ and still not be met: the most of n rows for which a sample
// of m equal ones has a probability above 2.5 %, about n*3.7/m. All of them
// might miss everything, or nothing. So 1,000 perfect rows of a million give
// [0.9963, 1].
//
// The bounds never contradict the sample: the sampled rows count with their
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
// further: they assume that many rows are left out.
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
