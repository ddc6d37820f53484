package paper

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/knng/knng/bench/ablation"
	"github.com/knng/knng/bench/front"
	"github.com/knng/knng/bench/plot"
)

// ablated are the runs of the ablations on a file, by variant.
func ablated(runs []Run, data string) map[string]Run {
	all := map[string]Run{}
	for _, r := range runs {
		if r.Study == ablationStudy && r.Data == data && r.Error == "" && !r.TimedOut {
			all[r.Setting] = r
		}
	}
	return all
}

// dataOf are the files that a study was made on, in the order of runs.
func dataOf(runs []Run, studies ...string) (all []string) {
	for _, r := range runs {
		if slices.Contains(studies, r.Study) && !slices.Contains(all, r.Data) {
			all = append(all, r.Data)
		}
	}
	return all
}

// ablationSection shows the worth of single parts of the method.
func ablationSection(w io.Writer, runs []Run, figures []Figure) {
	all := dataOf(runs, ablationStudy, visitsStudy, triggerStudy)
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## The method's parts, one changed at a time\n\nWhat the paper argues in words. On some rows of each file, one thread, k = 20; [ablation.md](ablation.md) has the same for all rows.\n")
	show(w, figures)
	for _, data := range all {
		ablationTable(w, runs, data)
		orderTable(w, runs, data)
		triggerTable(w, runs, data)
	}
}

func ablationTable(w io.Writer, runs []Run, data string) {
	found := ablated(runs, data)
	whole, ok := found["paper"]
	if !ok {
		return
	}
	fmt.Fprintf(w, "\n### One change: %s, %s x %d\n\nThe paper's method is divisions until the effective rate is under 0.05, leaves of fewer than 500 rows, directions from 100 rows, and one round with T = 500. Pairs are counted before the pair cache, comparisons after it.\n\n", data, thousands(whole.Rows), whole.Dim)
	fmt.Fprintf(w, "| change | recall | against the paper's | divisions | pairs a row | comparisons a row | s |\n|---|---|---|---|---|---|---|\n")
	for _, v := range slices.Concat(ablation.Variants, sameDivisions) {
		if r, ok := found[v.Name]; ok {
			fmt.Fprintf(w, "| %s | %.4f | %+.4f | %.0f | %.0f | %.0f | %.2f |\n", v.Name, r.Recall.Recall, r.Recall.Recall-whole.Recall.Recall,
				r.Detail["divisions"], pairsARow(r), float64(r.Comparisons)/float64(r.Rows), r.Seconds)
		}
	}
}

// orders are the curves of recall against pairs of the two ways to propagate.
func orders(runs []Run, data string) (best, second []front.Point) {
	points := func(system string) (all []front.Point) {
		for _, r := range growing(runs, visitsStudy, data, system) {
			all = append(all, front.Point{Recall: r.Recall.Recall, Cost: float64(r.Comparisons) / float64(r.Rows)})
		}
		return all
	}
	return points(Propagation), points(SecondOrder)
}

func orderTable(w io.Writer, runs []Run, data string) {
	both := slices.Concat(growing(runs, visitsStudy, data, Propagation), growing(runs, visitsStudy, data, SecondOrder))
	if len(both) == 0 {
		return
	}
	fmt.Fprintf(w, "\n### Best first or in plain second order: %s, %s rows\n\nAfter four divisions, one round. In second order every row meets the neighbors of some of its nearest neighbors (of 20: of all of them, as ChenFS09 refine).\n\n", data, thousands(both[0].Rows))
	fmt.Fprintf(w, "| propagation | setting | recall | comparisons a row | s of propagation |\n|---|---|---|---|---|\n")
	for _, r := range both {
		fmt.Fprintf(w, "| %s | %s | %.4f | %.0f | %.2f |\n", map[bool]string{true: "best first", false: "second order"}[r.System == Propagation],
			r.Setting, r.Recall.Recall, float64(r.Comparisons)/float64(r.Rows), phaseSeconds(r, "propagation"))
	}
}

// orderPanels draws them, a panel for each file.
func orderPanels(runs []Run) (panels []plot.Panel) {
	for _, data := range dataOf(runs, visitsStudy) {
		best, second := orders(runs, data)
		p := plot.Panel{Title: data + ", k = 20, after 4 divisions", X: "comparisons a row, divisions included", Y: "accuracy (recall@20)", LogX: true}
		for _, line := range []plot.Line{
			{Name: "best first, T 50 to 2000", Style: style(Propagation), Points: xys(best)},
			{Name: "second order, of 2 to 20 neighbors", Style: other(0), Points: xys(second)},
		} {
			slices.SortFunc(line.Points, func(a, b plot.XY) int { return int(a.X - b.X) })
			if len(line.Points) > 0 {
				p.Lines = append(p.Lines, line)
			}
		}
		panels = append(panels, p)
	}
	return panels
}

// triggerPanels draws recall against pairs of rules and of fixed numbers of divisions.
func triggerPanels(runs []Run) (panels []plot.Panel) {
	for _, data := range dataOf(runs, triggerStudy) {
		fixedRuns, ruled := hindsight(runs, data)
		p := plot.Panel{Title: data + ", k = 20: when to propagate", X: "pairs a row, controls included", Y: "missed (1 - recall@20)", LogX: true, LogY: true}
		line := func(name string, at int, runs []Run, dots bool) {
			l := plot.Line{Name: name, Style: at}
			for _, r := range runs {
				xy := plot.XY{X: pairsARow(r), Y: 1 - r.Recall.Recall}
				if dots {
					l.Dots = append(l.Dots, xy)
				} else {
					l.Points = append(l.Points, xy)
				}
			}
			if len(runs) > 0 {
				p.Lines = append(p.Lines, l)
			}
		}
		slices.SortFunc(fixedRuns, func(a, b Run) int { return int(pairsARow(a) - pairsARow(b)) })
		for i, t := range fixedT {
			line(fmt.Sprintf("M fixed at 1 to 16, one round, T %d", t), []int{other(3), style(Propagation), other(4)}[i], slices.DeleteFunc(slices.Clone(fixedRuns), func(r Run) bool {
				return !slices.ContainsFunc(fixedM, func(m int) bool { return fixed(m, t) == r.Setting })
			}), false)
		}
		for i, rule := range rules {
			same := slices.DeleteFunc(slices.Clone(ruled), func(r Run) bool { return r.Setting != rule.name })
			line(rule.name, other(i), same, true)
		}
		panels = append(panels, p)
	}
	return panels
}

// partClaims are the claims about single parts of the method.
func partClaims(runs []Run) (claims []Claim) {
	for _, data := range dataOf(runs, ablationStudy) {
		found := ablated(runs, data)
		claims = append(claims,
			variantClaim(found, data, "Principal directions find more than random projections, and for less", "paper", "random directions"),
			moreClaim(found, data, "After as many divisions and a round, principal directions have found more than random projections", "M 8", "M 8, random directions"),
			variantClaim(found, data, "The pairwise update finds more, and for less", "paper", "no pairwise update"),
			tableClaim(found, data))
	}
	for _, data := range dataOf(runs, visitsStudy) {
		claims = append(claims, orderClaim(runs, data))
	}
	for _, data := range dataOf(runs, triggerStudy) {
		claims = append(claims, triggerClaim(runs, data))
	}
	return claims
}

// variantClaim: without a part recall is smaller, and no fewer pairs are compared, or,
// where these are as many, time is longer.
func variantClaim(found map[string]Run, data, text, with, without string) Claim {
	c := Claim{Text: text, Matrix: data, Found: "not run", Verdict: Unknown}
	whole, ok1 := found[with]
	less, ok2 := found[without]
	if ok1 && ok2 {
		c.Matrix = whole.matrix()
		c.Found = fmt.Sprintf("recall %.4f in %.2f s, %.0f pairs a row; %s %.4f in %.2f s, %.0f pairs", whole.Recall.Recall, whole.Seconds, pairsARow(whole),
			without, less.Recall.Recall, less.Seconds, pairsARow(less))
		more, cheaper := whole.Recall.Recall > less.Recall.Recall, pairsARow(whole) < pairsARow(less)
		if pairsARow(whole) == pairsARow(less) {
			cheaper = whole.Seconds < less.Seconds
		}
		if c.Verdict = verdict(more); more != cheaper {
			c.Verdict = Unknown
			c.Found += ": neither is better in both"
		}
	}
	return c
}

// moreClaim: without a part recall is smaller, by more than the intervals of both.
func moreClaim(found map[string]Run, data, text, with, without string) Claim {
	c := Claim{Text: text, Matrix: data, Found: "not run", Verdict: Unknown}
	whole, ok1 := found[with]
	less, ok2 := found[without]
	if ok1 && ok2 {
		c.Matrix = whole.matrix()
		c.Found = fmt.Sprintf("recall %.4f (%.4f to %.4f) in %.2f s; %s %.4f (%.4f to %.4f) in %.2f s", whole.Recall.Recall, whole.Recall.Low, whole.Recall.High, whole.Seconds,
			without, less.Recall.Recall, less.Recall.Low, less.Recall.High, less.Seconds)
		switch {
		case whole.Recall.Low > less.Recall.High:
			c.Verdict = Holds
		case whole.Recall.High < less.Recall.Low:
			c.Verdict = Not
		}
	}
	return c
}

// tableClaim: the paper's hash table saves time.
func tableClaim(found map[string]Run, data string) Claim {
	c := Claim{Text: "A table of computed pairs costs less than it saves", Matrix: data, Found: "not run", Verdict: Unknown}
	on, ok1 := found["pair cache on"]
	off, ok2 := found["pair cache off"]
	if ok1 && ok2 {
		c.Matrix = on.matrix()
		c.Found = fmt.Sprintf("with it %.2f s and %.0f comparisons a row, without %.2f s and %.0f", on.Seconds, float64(on.Comparisons)/float64(on.Rows),
			off.Seconds, float64(off.Comparisons)/float64(off.Rows))
		c.Verdict = verdict(on.Seconds < off.Seconds)
	}
	return c
}

// orderClaim reads the curve of best-first propagation at the comparisons that each
// setting of plain second order makes, where the curve goes that far down.
func orderClaim(runs []Run, data string) Claim {
	c := Claim{Text: "Best-first propagation finds more than plain second order for the same comparisons (k = 20)", Matrix: data, Found: "not run", Verdict: Unknown}
	best, second := orders(runs, data)
	curve := front.Of(best)
	holds := true
	var found []string
	for _, p := range second {
		at := front.Within(curve, p.Cost)
		if at == 0 {
			continue // cheaper than all of the curve, which says nothing there
		}
		found = append(found, fmt.Sprintf("%.0f a row: %.4f, second order %.4f", p.Cost, at, p.Recall))
		holds = holds && at > p.Recall
	}
	if len(found) > 0 {
		c.Matrix = growing(runs, visitsStudy, data, SecondOrder)[0].matrix()
		c.Found, c.Verdict = strings.Join(found, "; "), verdict(holds)
	}
	return c
}

// triggerClaim: the threshold asks at most a quarter more than hindsight, which knows the
// best T as well.
func triggerClaim(runs []Run, data string) Claim {
	c := Claim{Text: "The threshold 0.05 goes over to propagation at a good moment (within a quarter of hindsight's pairs)", Matrix: data, Found: "not run", Verdict: Unknown}
	fixedRuns, ruled := hindsight(runs, data)
	for _, r := range ruled {
		if r.Setting != "effective rate under 0.05" {
			continue
		}
		if best, ok := inHindsight(fixedRuns, r.Recall.Recall-0.001); ok {
			c.Matrix = r.matrix()
			c.Found = fmt.Sprintf("%.0f divisions, recall %.4f, %.0f pairs a row; in hindsight %s, %.4f, %.0f", r.Detail["divisions"], r.Recall.Recall, pairsARow(r),
				best.Setting, best.Recall.Recall, pairsARow(best))
			c.Verdict = verdict(pairsARow(r) <= 1.25*pairsARow(best))
		}
	}
	return c
}
