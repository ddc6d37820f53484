package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Claim is a sentence of the paper and what became of it on one matrix.
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
	for _, v := range compared(runs) {
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

// gain is how many times longer the fastest rival takes; infinite where none
// reaches the recall with any of its settings. Where rivals were given up it is at
// least what is returned, and counts if that is as much as the paper claims anywhere: 6.
// It does not count where settings have not been run that might reach the recall, or
// reach it for less than the cheapest that was.
func (v *view) gain(system string, k int, recall float64) (times float64, text string, ok bool) {
	own, reached := v.at(system, k, recall, byTime)
	if !reached {
		return 0, fmt.Sprintf("%s reach no %g %%", system, 100*recall), false
	}
	name, other, any := v.fastest(Rivals, k, recall, byTime)
	if untried := slices.ContainsFunc(Rivals, func(s string) bool { return !v.tried(s, k) }); !any && untried {
		return 0, fmt.Sprintf("%g %%: %.3g s; not all settings of the others were run, %s", 100*recall, own, v.best(Rivals, k)), false
	}
	if cut := v.cutOff(k); !any && !math.IsInf(cut, 1) {
		// Nothing is known but that the others take longer than they were given.
		return cut / own, fmt.Sprintf("%g %%: %.3g s, no other gets there in %.3g s", 100*recall, own, cut), cut/own >= 6
	}
	if !any {
		return math.Inf(1), fmt.Sprintf("%g %%: %.3g s, no other gets there", 100*recall, own), true
	}
	bound := v.cheapest(name, k, recall, byTime) && !v.tried(name, k)
	less := map[bool]string{true: "less than "}
	return other / own, fmt.Sprintf("%g %%: %s%.3g s, %s %s%.3g s (%.2g times%s)", 100*recall, less[v.cheapest(system, k, recall, byTime)], own,
		name, less[v.cheapest(name, k, recall, byTime)], other, other/own, v.inComparisons(system, k, recall)), !bound
}

// cutOff is the least time after which a build of a rival was given up; infinite,
// if none was.
func (v *view) cutOff(k int) float64 {
	least := math.Inf(1)
	for _, r := range v.runs {
		if r.TimedOut && r.K == k && slices.Contains(Rivals, r.System) {
			least = min(least, r.Seconds)
		}
	}
	return least
}

// inComparisons is the gain in comparisons, which a busy machine does not change.
func (v *view) inComparisons(system string, k int, recall float64) string {
	own, reached := v.at(system, k, recall, byComparisons)
	name, other, any := v.fastest(Rivals, k, recall, byComparisons)
	if !reached || !any {
		return ""
	}
	return fmt.Sprintf("; in comparisons %s %.2g", name, other/own)
}

func (v *view) faster(text, system string, k int, times float64, recalls ...float64) (string, string, Verdict) {
	text = fmt.Sprintf("%s (k = %d)", text, k)
	least, told := math.Inf(1), false
	var found []string
	for _, recall := range recalls {
		gain, words, ok := v.gain(system, k, recall)
		found = append(found, words)
		if ok {
			least, told = min(least, gain), true
		}
	}
	if !told {
		return text, strings.Join(found, "; "), Unknown
	}
	return text, strings.Join(found, "; "), verdict(least >= times)
}

func (v *view) gainGrowsWithK() (string, string, Verdict) {
	const text = "The gain of propagation grows with k (at 90 %)"
	return v.ordered(text, func(add func(label string, k int, recall float64)) {
		for _, k := range v.ks() {
			add(fmt.Sprintf("k = %d", k), k, 0.9)
		}
	})
}

func (v *view) gainGrowsWithTarget() (string, string, Verdict) {
	const text = "The gain of propagation grows with the target (k = 20)"
	return v.ordered(text, func(add func(label string, k int, recall float64)) {
		for _, recall := range []float64{0.8, 0.85, 0.9, 0.95} {
			add("", 20, recall)
		}
	})
}

// ordered tells whether gains ascend.
func (v *view) ordered(text string, each func(add func(label string, k int, recall float64))) (string, string, Verdict) {
	var found []string
	before, ascends, count := 0.0, true, 0
	each(func(label string, k int, recall float64) {
		gain, words, ok := v.gain(Propagation, k, recall)
		if label != "" {
			words = label + ": " + words
		}
		found = append(found, words)
		if !ok {
			return
		}
		ascends = ascends && gain >= before
		before = gain
		count++
	})
	if count < 2 {
		return text, strings.Join(found, "; "), Unknown
	}
	return text, strings.Join(found, "; "), verdict(ascends)
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
	case compared == 0:
		return text, "not run", Unknown
	case high:
		return text, strings.Join(found, "; "), verdict(lost == compared)
	}
	return text, strings.Join(found, "; "), verdict(lost == 0)
}

func (v *view) withinOurTime() (string, string, Verdict) {
	const text = "In the time of our 90 % with propagation the others reach at most 50 % (k = 50)"
	own, ok := v.at(Propagation, 50, 0.9, byTime)
	if !ok {
		return text, "90 % is not reached", Unknown
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
		return text, fmt.Sprintf("naive %.4g s; %.0f %% is not reached", naive[0].Cost, 100*recall), Unknown
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
	return text, found, verdict(own/naive[0].Cost <= 1.5*share)
}

func (v *view) linearInM() (string, string, Verdict) {
	const text = "The cost of divisions is linear in M (k = 20)"
	var points []xy
	for _, r := range v.runs {
		if r.System == Divisions && r.K == 20 && !r.TimedOut {
			points = append(points, xy{r.Detail["divisions"], r.Seconds})
		}
	}
	r2, ok := straightness(points)
	if !ok {
		return text, "not run", Unknown
	}
	return text, fmt.Sprintf("time over M: R² %.4f", r2), verdict(r2 >= 0.98)
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
