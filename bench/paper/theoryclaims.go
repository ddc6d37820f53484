package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/knng/knng/bench/theory"
)

// near is how far a prediction may lie from the measurement, as a share of all pairs.
const near = 0.05

// theoryClaims are the verdicts on the lemmas and the theorem.
func theoryClaims(reports []theory.Report) (claims []Claim) {
	for _, r := range reports {
		add := func(text, found string, v Verdict) {
			claims = append(claims, Claim{text, fmt.Sprintf("%s, %s x %d", r.Data, thousands(r.Rows), r.Dim), found, v})
		}
		for _, lemma := range []struct {
			text   string
			curves []theory.Curve
		}{
			{"Lemma 1, 1 - (1 - P^h)^L, tells the share of true neighbors that L trees find", r.Found},
			{"Lemma 2 tells the share that the L-th tree adds", r.New},
			{"Lemma 3 and its generalisation tell how many pairs have a path over 1, 2 or 3 intermediates", r.Paths},
		} {
			planes, at := deviation(lemma.curves, "by hyperplanes")
			trees, _ := deviation(lemma.curves, "by trees")
			add(fmt.Sprintf("%s (within %g, on average over pairs)", lemma.text, near),
				fmt.Sprintf("at most %.3f off, at L = %.0f; with what trees really share in place of P^h %.3f", planes, at, trees), verdict(planes <= near))
		}
		add("Theorem 1's bound by the smallest P is never more than what is found", boundFound(&r), verdict(exceeds(r.Round, "bound, smallest P") <= 0))
		if l, ok := crossing(&r); ok {
			add("From some number of trees on a round of propagation finds more than the next tree", fmt.Sprintf("from L = %d on", l), Holds)
		}
	}
	return claims
}

// deviation is the most by which predictions of a kind differ from measurements, and
// where. Predictions and finds that speak of paths say of which ("2 between").
func deviation(curves []theory.Curve, kind string) (most, at float64) {
	for _, predicted := range curves {
		if !predicted.Predicted || !strings.Contains(predicted.Name, kind) {
			continue
		}
		_, about, _ := strings.Cut(predicted.Name, ", ")
		for _, found := range curves {
			if found.Predicted || !strings.HasSuffix(found.Name, about) {
				continue
			}
			for i, x := range predicted.X[:min(len(predicted.X), len(found.X))] {
				if off := math.Abs(predicted.Y[i] - found.Y[i]); off > most {
					most, at = off, x
				}
			}
		}
	}
	return most, at
}

// exceeds is the most by which a curve lies above the recall of lists after one round.
func exceeds(curves []theory.Curve, name string) float64 {
	bound, found := named(curves, name), named(curves, "found, lists after one round")
	most := math.Inf(-1)
	for i := range min(len(bound.Y), len(found.Y)) {
		most = max(most, bound.Y[i]-found.Y[i])
	}
	return most
}

func named(curves []theory.Curve, name string) (c theory.Curve) {
	if i := slices.IndexFunc(curves, func(c theory.Curve) bool { return c.Name == name }); i >= 0 {
		c = curves[i]
	}
	return c
}

// boundFound describes the bound that was found.
func boundFound(r *theory.Report) string {
	const l = 8
	at := func(name string) string { return valueAt(named(r.Round, name), l) }
	return fmt.Sprintf("after %d trees and a round %s are found; the bound is %s by the smallest P, %s by its 1 %% quantile, %s by 5 %%: it says nothing there. By the median it is %s, which holds for half of the pairs at most",
		l, at("found, lists after one round"), at("bound, smallest P"), at("bound, 1 % quantile of P"), at("bound, 5 % quantile of P"), at("bound, median P"))
}

// crossing is the number of trees from which on a round adds more than the next tree. The
// round is measured on the pairs that have a common neighbor, which nearly all have.
func crossing(r *theory.Report) (l int, ok bool) {
	after, found, next := named(r.Round, "found, lists after one round"), named(r.Found, "found"), named(r.New, "found")
	n := min(len(after.Y), len(found.Y), len(next.Y)-1)
	for l = n; l > 0 && after.Y[l-1]-found.Y[l-1] > next.Y[l]; l-- {
		ok = true
	}
	return l + 1, ok
}
