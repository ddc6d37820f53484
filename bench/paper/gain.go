package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/knng/knng/bench/front"
)

// An interval bounds a number: it is at least lo and at most hi.
type interval struct{ lo, hi float64 }

var unknown = interval{0, math.Inf(1)}

// takes bounds the seconds in which a system reaches a recall. If it has
// not reached it, they are more than its most accurate build took, and more than the time
// after which one was given up. If its cheapest build reaches more, and cheaper
// settings were not run, they are at most the seconds of that build.
func (v *view) takes(system string, k int, recall float64) interval {
	seconds, reached := v.at(system, k, recall, byTime)
	switch {
	case reached && v.cheapest(system, k, recall, byTime) && !v.tried(system, k):
		return interval{0, seconds}
	case reached:
		return interval{seconds, seconds}
	}
	least := v.givenUp(system, k)
	for _, p := range front.Of(v.points(system, k, byTime)) {
		least = max(least, p.Cost)
	}
	return interval{least, math.Inf(1)}
}

// givenUp is the least time after which a build of a system was given up; 0 if none was.
func (v *view) givenUp(system string, k int) (least float64) {
	for _, r := range v.of(system, k, byTime) {
		if r.TimedOut && (least == 0 || r.Seconds < least) {
			least = r.Seconds
		}
	}
	return least
}

// gain is how many times longer the fastest rival takes.
func (v *view) gain(system string, k int, recall float64) (interval, string) {
	own := v.takes(system, k, recall)
	if math.IsInf(own.hi, 1) {
		return unknown, v.missing(system, k, recall)
	}
	first, name := unknown, ""
	first.lo = math.Inf(1)
	for _, rival := range Rivals {
		other := v.takes(rival, k, recall)
		if first.lo = min(first.lo, other.lo); other.hi < first.hi {
			first.hi, name = other.hi, rival
		}
	}
	gain := interval{first.lo / own.hi, first.hi / own.lo}
	ours := fmt.Sprintf("%g %%: %s", 100*recall, own.seconds())
	switch {
	case name == "" && first.lo == 0:
		return gain, fmt.Sprintf("%s; not all of the others were run, %s", ours, v.best(Rivals, k))
	case name == "":
		return gain, fmt.Sprintf("%s, none of the others within %.3g s (more than %.2g times); %s", ours, first.lo, gain.lo, v.best(Rivals, k))
	case gain.lo < gain.hi:
		return gain, fmt.Sprintf("%s, %s at most %.3g s (%.2g times or less%s)", ours, name, first.hi, first.hi/own.hi, v.inComparisons(system, k, recall))
	}
	return gain, fmt.Sprintf("%s, %s %.3g s (%.2g times%s)", ours, name, first.hi, gain.hi, v.inComparisons(system, k, recall))
}

func (i interval) seconds() string {
	if i.lo == 0 {
		return fmt.Sprintf("at most %.3g s", i.hi)
	}
	return fmt.Sprintf("%.3g s", i.hi)
}

// missing says why a system has not reached a recall.
func (v *view) missing(system string, k int, recall float64) string {
	if len(v.points(system, k, byTime)) == 0 {
		return fmt.Sprintf("%g %%: %s was not run", 100*recall, system)
	}
	return fmt.Sprintf("%g %%: not reached by %s (%s)", 100*recall, system, v.best([]string{system}, k))
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

// atLeast tells whether all of some numbers are at least x, where each may be wrong by a
// factor.
func atLeast(x float64, factor float64, all ...interval) Verdict {
	verdict := Holds
	for _, i := range all {
		switch {
		case i.hi*factor < x:
			return Not
		case i.lo/factor < x:
			verdict = Unknown
		}
	}
	return verdict
}

// ascend tells whether none of some numbers is less than the one before it.
func ascend(factor float64, all ...interval) Verdict {
	verdict := Holds
	for i := 1; i < len(all); i++ {
		switch before, here := all[i-1], all[i]; {
		case here.hi*factor < before.lo:
			return Not
		case here.lo < before.hi*factor:
			verdict = Unknown
		}
	}
	return verdict
}

// firmly is the verdict where times are as they were measured, and a remark where it
// would not be one if they had come out as builds with other seeds did.
func (v *view) firmly(found string, verdict func(factor float64) Verdict) (string, Verdict) {
	got := verdict(1)
	if got != Unknown && verdict(v.spread) == Unknown {
		found += "; within the spread of times"
	}
	return found, got
}

// spread is how many times as long as each other nine of ten pairs of builds took that
// differ in the seed alone, and made as many comparisons within a twentieth: the noise of the
// machine. Where some runs were made in steady hours only they count.
func spread(runs []Run) float64 {
	seconds, good := map[Task]Run{}, goodYardstick(runs)
	var ratios []float64
	for _, r := range runs {
		if r.Study != accuracyStudy || r.TimedOut || r.Error != "" || r.Seconds < 0.5 || good > 0 && !r.steady(good) {
			continue
		}
		task := r.Task
		task.Seed = 0
		first, met := seconds[task]
		if !met {
			seconds[task] = r
			continue
		}
		if compared := float64(r.Comparisons) / float64(first.Comparisons); compared > 0.95 && compared < 1.05 {
			ratios = append(ratios, math.Exp(math.Abs(math.Log(r.Seconds/first.Seconds))))
		}
	}
	if len(ratios) == 0 {
		return 1
	}
	slices.SortFunc(ratios, cmp.Compare)
	return ratios[len(ratios)*9/10]
}
