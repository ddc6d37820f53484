package recall

import (
	"math"
	"sort"
)

// mostUnmet is the largest number of n rows such that m drawn without
// replacement meet none of them with a probability above tail.
func mostUnmet(m, n int, tail float64) int {
	return sort.Search(n-m, func(d int) bool { return missesAll(m, n, d+1) <= math.Log(tail) })
}

// missesAll is the logarithm of the probability that m rows drawn of n meet
// none of d marked ones: C(n-d, m) / C(n, m).
func missesAll(m, n, d int) float64 {
	return logFactorial(n-d) - logFactorial(n-d-m) - logFactorial(n) + logFactorial(n-m)
}

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

// quantileT is the t that a Student distribution of df degrees of freedom
// exceeds with probability tail < 1/2. The distribution function is inverted by
// halving: it is called a few times a build.
func quantileT(tail float64, df int) float64 {
	low, high := 0.0, 1.0
	for upperT(high, df) > tail {
		low, high = high, 2*high
	}
	for range 60 {
		if middle := (low + high) / 2; upperT(middle, df) > tail {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// upperT is the probability that Student's t exceeds t >= 0: half the
// incomplete beta function I_x(df/2, 1/2) at x = df/(df+t^2).
func upperT(t float64, df int) float64 {
	a, b := float64(df)/2, 0.5
	x := float64(df) / (float64(df) + t*t)
	if x < (a+1)/(a+b+2) {
		return incompleteBeta(x, a, b) / 2
	}
	return (1 - incompleteBeta(t*t/(float64(df)+t*t), b, a)) / 2
}

// incompleteBeta evaluates the continued fraction of I_x(a, b) (DLMF 8.17.22) by
// Lentz's method; it converges fast for x < (a+1)/(a+b+2).
func incompleteBeta(x, a, b float64) float64 {
	if x <= 0 {
		return 0
	}
	ga, _ := math.Lgamma(a)
	gb, _ := math.Lgamma(b)
	gab, _ := math.Lgamma(a + b)
	factor := math.Exp(gab-ga-gb+a*math.Log(x)+b*math.Log1p(-x)) / a
	const tiny = 1e-300
	f, c, d := 1.0, 1.0, 0.0
	for i := range 400 {
		m := float64(i / 2)
		numerator := 1.0
		switch {
		case i == 0:
		case i%2 == 0:
			numerator = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		default:
			numerator = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		if d = 1 + numerator*d; d == 0 {
			d = tiny
		}
		if c = 1 + numerator/c; c == 0 {
			c = tiny
		}
		d = 1 / d
		f *= c * d
		if math.Abs(c*d-1) < 1e-15 {
			break
		}
	}
	return factor * (f - 1)
}
