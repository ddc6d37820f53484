package paper

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/knng/knng/bench/baseline/knng"
	"github.com/knng/knng/builder"
)

// fixedM are the divisions after which propagation is tried, fixedT how far it goes:
// hindsight.
var (
	fixedM = []int{1, 2, 3, 4, 6, 8, 12, 16}
	fixedT = []int{250, 500, 1000}
)

// rules are ways to decide when to go over from divisions to propagation. Controls
// are rows whose exact lists are known: after two divisions and a round,
// whichever of the two gained more recall per pair is done again, until the target
// is reached. With both, the effective rate decides first.
var rules = []struct {
	name    string
	options builder.Options
}{
	{"effective rate under 0.10", builder.Options{Paper: builder.PaperOptions{Trigger: 0.10}, Rounds: 1}},
	{"effective rate under 0.05", builder.Options{Rounds: 1}},
	{"effective rate under 0.02", builder.Options{Paper: builder.PaperOptions{Trigger: 0.02}, Rounds: 1}},
	{"controls, target 0.90", builder.Options{Paper: builder.PaperOptions{Trigger: 1}, Recall: 0.90}},
	{"controls, target 0.95", builder.Options{Paper: builder.PaperOptions{Trigger: 1}, Recall: 0.95}},
	{"controls, target 0.98", builder.Options{Paper: builder.PaperOptions{Trigger: 1}, Recall: 0.98}},
	{"both, target 0.95", builder.Options{Recall: 0.95}},
}

// triggers builds by every rule, and with fixed numbers of divisions.
func (p *planner) triggers(d data) {
	add := func(name string, o builder.Options, cost float64) {
		o.Method, o.PairCache = builder.Paper, builder.On
		p.add(triggerStudy, d, p.Ablation, d.dim, 20, 1, Propagation, Setting{Name: name, System: knng.Builder{Options: o}, Cost: cost}, p.Limit)
	}
	for _, m := range fixedM {
		for _, t := range fixedT {
			add(fixed(m, t), builder.Options{Divisions: m, Rounds: 1, Paper: builder.PaperOptions{Visits: t}}, division*float64(m)+round*float64(t)/500)
		}
	}
	for _, rule := range rules {
		add(rule.name, rule.options, 8*division+round)
	}
}

// fixed names a setting; T is 500 where nothing is said.
func fixed(m, t int) string {
	if t == 500 {
		return fmt.Sprintf("M %d", m)
	}
	return fmt.Sprintf("M %d, T %d", m, t)
}

// isFixed reports whether a setting is one of hindsight's.
func isFixed(name string) bool {
	return slices.ContainsFunc(fixedM, func(m int) bool {
		return slices.ContainsFunc(fixedT, func(t int) bool { return fixed(m, t) == name })
	})
}

// hindsight are the runs with a fixed number of divisions, and those by a rule.
func hindsight(runs []Run, data string) (fixedRuns, ruled []Run) {
	for _, r := range runs {
		if r.Study != triggerStudy || r.Data != data || r.Error != "" || r.TimedOut {
			continue
		}
		if isFixed(r.Setting) {
			fixedRuns = append(fixedRuns, r)
		} else {
			ruled = append(ruled, r)
		}
	}
	return fixedRuns, ruled
}

// inHindsight is the fixed number of divisions, and T, that reach a recall for the fewest
// comparisons.
func inHindsight(fixedRuns []Run, recall float64) (best Run, ok bool) {
	least := math.Inf(1)
	for _, r := range fixedRuns {
		if pairs := pairsOfBuild(r); r.Recall.Recall >= recall && pairs < least {
			best, least, ok = r, pairs, true
		}
	}
	return best, ok
}

// triggerTable holds every rule against hindsight.
func triggerTable(w io.Writer, runs []Run, data string) {
	fixedRuns, ruled := hindsight(runs, data)
	if len(ruled) == 0 {
		return
	}
	fmt.Fprintf(w, "\n### When to propagate: %s, %s rows, k = 20\n\n", data, thousands(ruled[0].Rows))
	fmt.Fprintf(w, "In hindsight: the fixed number of divisions and T (250, 500 or 1000; rules have 500) that, with one round, reach at least the rule's recall for the fewest requested pairs. A rule with controls pays for them, in its pairs and its time, and may do several rounds.\n\n")
	fmt.Fprintf(w, "| rule | divisions | rounds | recall | pairs a row | s | in hindsight | pairs a row | s |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range ruled {
		fmt.Fprintf(w, "| %s | %.0f | %d | %.4f | %.0f | %.2f |", r.Setting, r.Detail["divisions"], rounds(r), r.Recall.Recall, pairsARow(r), r.Seconds)
		if best, ok := inHindsight(fixedRuns, r.Recall.Recall); ok {
			fmt.Fprintf(w, " %s, %.4f | %.0f | %.2f |\n", best.Setting, best.Recall.Recall, pairsARow(best), best.Seconds)
		} else {
			fmt.Fprintf(w, " none up to M %d with one round | - | - |\n", fixedM[len(fixedM)-1])
		}
	}
}

// pairsARow counts controls too.
func pairsARow(r Run) float64 { return pairsOfBuild(r) / float64(r.Rows) }

func pairsOfBuild(r Run) float64 { return requestedOf(r) + r.Detail["control"] }

// rounds counts the rounds of propagation.
func rounds(r Run) (count int) {
	for i := 1; ; i++ {
		if _, ok := r.Detail[fmt.Sprintf("seconds propagation %d", i)]; !ok {
			return count
		}
		count++
	}
}
