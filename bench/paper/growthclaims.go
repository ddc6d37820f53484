package paper

import (
	"fmt"
	"math"
	"slices"
)

// stated are the exponents of n that the paper states for others (section
// "Analysis"), without the factor log n.
var stated = []struct {
	system string
	power  float64
}{{Glue, 1.22}, {Overlap, 1.36}, {Virmajoki, 1.58}}

// growthClaims are the claims on complexity.
func growthClaims(runs []Run) (claims []Claim) {
	for _, data := range studied(runs) {
		for _, system := range []string{Divisions, Propagation} {
			claims = append(claims, rowsClaim(runs, data, system), dimensionsClaim(runs, data, system))
		}
		claims = append(claims, visitsClaim(runs, data))
		for _, s := range stated {
			claims = append(claims, statedClaim(runs, data, s.system, s.power))
		}
	}
	return claims
}

// studied are the files whose growth was studied.
func studied(runs []Run) (all []string) {
	for _, r := range runs {
		if r.Study == "rows" && !slices.Contains(all, r.Data) {
			all = append(all, r.Data)
		}
	}
	return all
}

func rowsOf(r Run) float64        { return float64(r.Rows) }
func secondsOf(r Run) float64     { return r.Seconds }
func comparisonsOf(r Run) float64 { return float64(r.Comparisons) }

// requestedOf is the comparisons before those are left out that knng has made
// already: with few rows divisions repeat each other more than with many, which
// says nothing of how the plan's cost grows.
func requestedOf(r Run) float64 {
	if requested := r.Detail["requested"]; requested > 0 {
		return requested
	}
	return comparisonsOf(r)
}

// powers are the exponents of comparisons and of time in x.
func powers(runs []Run, x func(Run) float64) (comparisons, seconds float64, ok bool) {
	comparisons, ok1 := exponent(pairsOf(runs, x, requestedOf))
	seconds, ok2 := exponent(pairsOf(runs, x, secondsOf))
	return comparisons, seconds, ok1 && ok2
}

// rowsClaim: n log n is, from n/8 to n, about the power 1 + 1/ln n of n. A tenth
// more is taken for noise.
func rowsClaim(runs []Run, data, system string) Claim {
	c := Claim{Text: "The cost of " + system + " is O(n log n) (k = 20)", Matrix: data, Found: "not run", Verdict: Unknown}
	all := growing(runs, "rows", data, system)
	comparisons, seconds, ok := powers(all, rowsOf)
	if !ok {
		return c
	}
	bound := 1 + 1/math.Log(float64(all[len(all)-1].Rows))
	c.Found = fmt.Sprintf("comparisons ~ n^%.2f, time ~ n^%.2f; n log n ~ n^%.2f", comparisons, seconds, bound)
	c.Verdict = verdict(comparisons <= bound+0.1 && seconds <= bound+0.1)
	return c
}

func dimensionsClaim(runs []Run, data, system string) Claim {
	c := Claim{Text: "The cost of " + system + " is at most linear in d (k = 20)", Matrix: data, Found: "not run", Verdict: Unknown}
	_, seconds, ok := powers(growing(runs, "dimensions", data, system), func(r Run) float64 { return float64(r.Dim) })
	if ok {
		c.Found = fmt.Sprintf("time ~ d^%.2f", seconds)
		c.Verdict = verdict(seconds <= 1.1)
	}
	return c
}

// visitsClaim looks at the time of propagation alone.
func visitsClaim(runs []Run, data string) Claim {
	c := Claim{Text: "The cost of propagation is O(T log T) (k = 20)", Matrix: data, Found: "not run", Verdict: Unknown}
	power, ok := exponent(pairsOf(growing(runs, "visits", data, Propagation), visitsOf, func(r Run) float64 { return phaseSeconds(r, "propagation") }))
	if ok {
		bound := 1 + 1/math.Log(float64(visitsSteps[0]))
		c.Found = fmt.Sprintf("time of propagation ~ T^%.2f; T log T ~ T^%.2f", power, bound)
		c.Verdict = verdict(power <= bound+0.1)
	}
	return c
}

// visitsOf reads T back from a setting.
func visitsOf(r Run) float64 {
	var m, t int
	if _, err := fmt.Sscanf(r.Setting, "M %d, T %d", &m, &t); err != nil {
		return 0
	}
	return float64(t)
}

func statedClaim(runs []Run, data, system string, power float64) Claim {
	text := fmt.Sprintf("%s takes n^%.2f comparisons", system, power)
	if among(system, Glue, Overlap) {
		text = fmt.Sprintf("%s takes n^%.2f comparisons (its recursion, without refinement)", system, power)
	}
	c := Claim{Text: text, Matrix: data, Found: "not run", Verdict: Unknown}
	comparisons, seconds, ok := powers(growing(runs, "rows", data, system), rowsOf)
	if ok {
		c.Found = fmt.Sprintf("comparisons ~ n^%.2f, time ~ n^%.2f", comparisons, seconds)
		c.Verdict = verdict(math.Abs(comparisons-power) <= 0.1)
	}
	return c
}
