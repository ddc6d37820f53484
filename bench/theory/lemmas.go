package theory

import "math"

// Probabilities of Wang et al., sections "Analysis" and "Appendix". A discovery is
// that two rows share a leaf of a tree.

// Discovered is Lemma 1: L trees, of which each discovers with probability q.
// Where hyperplanes are independent of each other, q is P^h.
func Discovered(q float64, trees int) float64 { return 1 - math.Pow(1-q, float64(trees)) }

// New is Lemma 2: the L-th tree discovers, and those before it did not.
func New(q float64, trees int) float64 { return math.Pow(1-q, float64(trees-1)) * q }

// Through is Lemma 3 for any number of intermediates: all steps of a path are
// discovered after so many trees. qs are those of its steps.
func Through(qs []float64, trees int) float64 {
	product := 1.0
	for _, q := range qs {
		product *= Discovered(q, trees)
	}
	return product
}

// WithRound is the probability in the proof of Theorem 1: L trees discover the
// pair, or both of its steps to a common neighbor.
func WithRound(direct, first, second float64, trees int) float64 {
	found := Discovered(direct, trees)
	return found + (1-found)*Through([]float64{first, second}, trees)
}

// Bound is Theorem 1: no pair has a smaller q.
func Bound(q float64, trees int) float64 {
	missed := math.Pow(1-q, float64(trees))
	return 1 - missed*missed*(2-missed)
}

// SameSide is the probability that a random hyperplane through the origin leaves
// two rows at an angle on one side.
func SameSide(angle float64) float64 { return 1 - angle/math.Pi }

// SameBucket is the probability that two rows at a distance have the same 2-stable
// hash of width w (Datar et al. 2004): the integral that the appendix states.
func SameBucket(distance, w float64) float64 {
	if distance == 0 {
		return 1
	}
	r := w / distance
	return math.Erf(r/math.Sqrt2) - 2/(math.Sqrt(2*math.Pi)*r)*(1-math.Exp(-r*r/2))
}

// missedByAll estimates (1-q)^L without bias from the trees, of all, that discover
// a pair: the probability that L of them drawn without replacement all miss it.
func missedByAll(discovering, all, trees int) float64 {
	product := 1.0
	for i := range trees {
		product *= max(0, float64(all-discovering-i)) / float64(all-i)
	}
	return product
}
