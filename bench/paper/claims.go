package paper

import (
	"fmt"
	"slices"
	"strings"
)

// A Claim is a sentence of the paper and the verdict on it from one matrix.
type Claim struct {
	Text    string // the paper's, in short
	Matrix  string
	Found   string
	Verdict Verdict
}

// Verdict says whether a claim holds.
type Verdict string

// The verdicts.
const (
	Holds   Verdict = "holds"
	Not     Verdict = "does not hold"
	Unknown Verdict = "cannot be told" // what it speaks of was not run or not reached
)

func verdict(holds bool) Verdict {
	if holds {
		return Holds
	}
	return Not
}

// Claims holds the paper's claims against the runs. low are claims on SIFT's 128
// dimensions, high those on GIST's 384 or more.
func Claims(runs []Run) (claims []Claim) {
	factor := spread(runs)
	for _, v := range compared(runs) {
		v.spread = factor
		low, high := v.dim <= 128, v.dim >= 384
		add := func(text string, found string, verdict Verdict) {
			claims = append(claims, Claim{text, v.name(), found, verdict})
		}
		if low {
			add(v.faster("At 90 % accuracy for 1-NN divisions alone are at least 3 times faster than any other", Divisions, 1, 3, 0.9))
			add(v.faster("At 90 % accuracy for 1-NN divisions with propagation are at least 6 times faster", Propagation, 1, 6, 0.9))
			add(v.bruteShare("95 % accuracy in about 1 % of brute force", 0.95, 0.01))
		}
		if high {
			add(v.faster("Above 60 % accuracy divisions alone are at least 3 times faster than the others", Divisions, 20, 3, 0.6, 0.7, 0.8, 0.9))
			add(v.withinOurTime())
			add(v.bruteShare("90 % accuracy in about 2 % of brute force", 0.9, 0.02))
		}
		if low || high {
			add(v.gainGrowsWithK())
			add(v.gainGrowsWithTarget())
			add(v.kdTrees(high))
		}
		add(v.linearInM())
	}
	return append(append(claims, growthClaims(runs)...), partClaims(runs)...)
}

func (v *view) name() string { return (&Task{Data: v.data, Rows: v.rows, Dim: v.dim}).matrix() }

func (v *view) faster(text, system string, k int, times float64, recalls ...float64) (string, string, Verdict) {
	var gains []interval
	var found []string
	for _, recall := range recalls {
		gain, words := v.gain(system, k, recall)
		gains, found = append(gains, gain), append(found, words)
	}
	words, verdict := v.firmly(strings.Join(found, "; "), func(factor float64) Verdict { return atLeast(times, factor, gains...) })
	return fmt.Sprintf("%s (k = %d)", text, k), words, verdict
}

func (v *view) gainGrowsWithK() (string, string, Verdict) {
	var gains []interval
	var found []string
	for _, k := range v.ks() {
		gain, words := v.gain(Propagation, k, 0.9)
		gains, found = append(gains, gain), append(found, fmt.Sprintf("k = %d: %s", k, words))
	}
	words, verdict := v.grows(found, gains)
	return "The gain of propagation grows with k (at 90 %)", words, verdict
}

func (v *view) gainGrowsWithTarget() (string, string, Verdict) {
	var gains []interval
	var found []string
	for _, recall := range []float64{0.8, 0.85, 0.9, 0.95} {
		gain, words := v.gain(Propagation, 20, recall)
		gains, found = append(gains, gain), append(found, words)
	}
	words, verdict := v.grows(found, gains)
	return "The gain of propagation grows with the target (k = 20)", words, verdict
}

// grows tells whether gains ascend, those of which nothing is known apart.
func (v *view) grows(found []string, gains []interval) (string, Verdict) {
	known := slices.DeleteFunc(slices.Clone(gains), func(g interval) bool { return g == unknown })
	if len(known) < 2 {
		return strings.Join(found, "; "), Unknown
	}
	return v.firmly(strings.Join(found, "; "), func(factor float64) Verdict { return ascend(factor, known...) })
}

// kdTrees compares them with the fastest of the divide-and-conquer systems.
func (v *view) kdTrees(high bool) (string, string, Verdict) {
	text := "kd-trees do not lose to the divide-and-conquer systems in 128 dimensions (k = 20)"
	if high {
		text = "kd-trees lose to the divide-and-conquer systems in 384 dimensions (k = 20)"
	}
	var found []string
	lost, compared := 0, 0
	divided := []string{Glue, Overlap, Virmajoki}
	for _, recall := range []float64{0.6, 0.7, 0.8, 0.9} {
		trees, reached := v.at(KDTrees, 20, recall, byTime)
		name, other, any := v.fastest(divided, 20, recall, byTime)
		open := !reached && !v.tried(KDTrees, 20) || !any && slices.ContainsFunc(divided, func(s string) bool { return !v.tried(s, 20) })
		if !reached && !any || open {
			if open {
				found = append(found, fmt.Sprintf("%g %%: not all settings were run", 100*recall))
			}
			continue
		}
		compared++
		switch {
		case !reached:
			lost++
			found = append(found, fmt.Sprintf("%g %%: kd-trees do not get there, %s %.3g s", 100*recall, name, other))
		case !any:
			found = append(found, fmt.Sprintf("%g %%: kd-trees %.3g s, no other gets there", 100*recall, trees))
		default:
			if trees > other {
				lost++
			}
			found = append(found, fmt.Sprintf("%g %%: kd-trees %.3g s, %s %.3g s", 100*recall, trees, name, other))
		}
	}
	switch {
	case len(v.points(KDTrees, 20, byTime)) == 0:
		return text, "not run", Unknown
	case compared == 0: // beyond 60 % even less is known
		return text, fmt.Sprintf("60 %%: not all settings were run: of kd-trees %s; of the others %s", v.best([]string{KDTrees}, 20), v.best(divided, 20)), Unknown
	case high:
		return text, strings.Join(found, "; "), verdict(lost == compared)
	}
	return text, strings.Join(found, "; "), verdict(lost == 0)
}

func (v *view) withinOurTime() (string, string, Verdict) {
	const text = "In the time of our 90 % with propagation the others reach at most 50 % (k = 50)"
	own, ok := v.at(Propagation, 50, 0.9, byTime)
	if !ok {
		return text, v.missing(Propagation, 50, 0.9), Unknown
	}
	best, name := 0.0, "none"
	for _, system := range Rivals {
		if got := v.within(system, 50, own, byTime); got > best {
			best, name = got, system
		}
	}
	return text, fmt.Sprintf("in %.3g s %s reaches %.1f %%", own, name, 100*best), verdict(best <= 0.5)
}

// bruteShare holds the time with propagation against that of brute force. "About"
// is taken as up to half more. The paper does not say how its brute force was
// written: the verdict is that against the naive one.
func (v *view) bruteShare(text string, recall, share float64) (string, string, Verdict) {
	text += " (k = 20, naive)"
	own, ok := v.at(Propagation, 20, recall, byTime)
	naive := v.points(Naive, 20, byTime)
	switch {
	case len(naive) == 0:
		return text, "brute force was not run", Unknown
	case !ok:
		return text, fmt.Sprintf("naive %.4g s; %s", naive[0].Cost, v.missing(Propagation, 20, recall)), Unknown
	}
	found := fmt.Sprintf("%.3g s; naive %.4g s: %.2g %%", own, naive[0].Cost, 100*own/naive[0].Cost)
	for _, system := range []string{Blocked, Tiles} {
		if brute := v.points(system, 20, byTime); len(brute) > 0 {
			_, how, _ := strings.Cut(system, ", ")
			found += fmt.Sprintf("; %s %.4g s: %.2g %%", how, brute[0].Cost, 100*own/brute[0].Cost)
		}
	}
	if pairs, ok := v.at(Propagation, 20, recall, byComparisons); ok {
		found += fmt.Sprintf("; comparisons %.2g %% of all pairs", 100*pairs)
	}
	found, verdict := v.firmly(found, func(factor float64) Verdict {
		return atLeast(1/(1.5*share), factor, interval{naive[0].Cost / own, naive[0].Cost / own})
	})
	return text, found, verdict
}

// linearInM looks at the pairs that are asked for, and at time; the table of pairs answers
// some of those of later divisions.
func (v *view) linearInM() (string, string, Verdict) {
	const text = "The cost of divisions is at most linear in M (k = 20)"
	var runs []Run
	for _, r := range v.runs {
		if r.System == Divisions && r.K == 20 && !r.TimedOut {
			runs = append(runs, r)
		}
	}
	requested, seconds, ok := powers(runs, func(r Run) float64 { return r.Detail["divisions"] })
	if !ok {
		return text, "not run", Unknown
	}
	return text, fmt.Sprintf("pairs asked for ~ M^%.2f, time ~ M^%.2f", requested, seconds), verdict(requested <= 1.1 && seconds <= 1.1)
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
