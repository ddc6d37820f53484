package paper

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/bench/baseline/chenfs09"
	"github.com/knng/knng/bench/baseline/kdtrees"
	"github.com/knng/knng/bench/baseline/knng"
	"github.com/knng/knng/bench/baseline/nndescent"
	"github.com/knng/knng/bench/baseline/virmajoki"
)

// fixedStudy is every system with other values of parameters that its grid holds fixed, so that no
// system loses by a value that we have chosen for it.
const fixedStudy = "fixed"

// unfixed are those values, for lists of 20.
func unfixed(n int) (all []struct {
	system string
	Setting
}) {
	add := func(system string, cost float64, s baseline.System, format string, args ...any) {
		all = append(all, struct {
			system string
			Setting
		}{system, Setting{Name: fmt.Sprintf(format, args...), System: s, Cost: cost}})
	}
	for _, leaf := range []int{125, 250, 1000} {
		add(Glue, 20, chenfs09.Glue{Options: chenfs09.Options{Alpha: 0.1, LeafSize: leaf}}, "alpha 0.1, leaves of %d", leaf)
		add(Overlap, 30, chenfs09.Overlap{Options: chenfs09.Options{Alpha: 0.05, LeafSize: leaf}}, "alpha 0.05, leaves of %d", leaf)
		add(Virmajoki, 8, virmajoki.Builder{Third: 0.3, LeafSize: leaf}, "third 0.3, leaves of %d", leaf)
		o := knng.Propagated(4, 0)
		o.Options.LeafSize = leaf
		add(Propagation, 12, o, "M 4, leaves of %d", leaf)
	}
	for _, steps := range []int{2, 4, 16} {
		add(Glue, 20, chenfs09.Glue{Options: chenfs09.Options{Alpha: 0.1, Steps: steps}}, "alpha 0.1, %d Lanczos steps", steps)
		add(Overlap, 30, chenfs09.Overlap{Options: chenfs09.Options{Alpha: 0.05, Steps: steps}}, "alpha 0.05, %d Lanczos steps", steps)
		add(Virmajoki, 8, virmajoki.Builder{Third: 0.3, Steps: steps}, "third 0.3, %d Lanczos steps", steps)
	}
	for _, letters := range []int{-6, -3, 3} {
		s := unoFor(n, 3, 8)
		s.Length += letters
		add(Uno, 10, s, "%d letters, 3 errors, 8 sets", s.Length)
	}
	for _, trees := range []int{1, 2, 16} {
		add(KDTrees, 12, kdtrees.Builder{Trees: trees, Checks: 512}, "%d trees, 512 checks", trees)
	}
	for _, rho := range []float64{0.3, 1} {
		add(NNDescent, 20, nndescent.Builder{Length: 30, Rho: rho}, "K 30, a share of %g", rho)
	}
	return all
}

// fixed builds with them.
func (p *planner) fixed(d data) {
	for _, s := range unfixed(min(p.Rows, d.rows.Len())) {
		p.add(fixedStudy, d, p.Rows, d.dim, 20, p.Seeds[0], s.system, s.Setting, p.Limit)
	}
}

// fixedTable holds those builds against the curve of the same system's grid.
func fixedTable(w io.Writer, runs []Run) {
	all := slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.Study != fixedStudy || r.Error != "" || r.TimedOut })
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## What the grids hold fixed\n\nEvery system once with other values of the parameters that its grid leaves alone (leaves of 500 rows, 8 Lanczos steps, 4 or 8 trees, letters by the number of rows, half of the new entries), k = 20. \"Grid\" is what the curve of its grid takes for the same recall: a ratio above 1 is how much the system would gain by the other value, if its whole curve did.\n\n")
	fmt.Fprintf(w, "| matrix | system | setting | recall | s | grid, s | ratio | comparisons, ratio |\n|---|---|---|---|---|---|---|---|\n")
	gains := map[string]float64{}
	for _, v := range compared(runs) {
		for _, r := range all {
			if r.Data != v.data || r.Rows != v.rows || r.Dim != v.dim {
				continue
			}
			seconds, ok := v.at(r.System, r.K, r.Recall.Recall, byTime)
			pairs, _ := v.at(r.System, r.K, r.Recall.Recall, byComparisons)
			if !ok || v.cheapest(r.System, r.K, r.Recall.Recall, byTime) {
				fmt.Fprintf(w, "| %s | %s | %s | %.4f | %.3g | beyond the curve | - | - |\n", v.name(), r.System, r.Setting, r.Recall.Recall, r.Seconds)
				continue
			}
			gain := seconds / r.Seconds
			gains[r.System] = math.Max(gains[r.System], gain)
			fmt.Fprintf(w, "| %s | %s | %s | %.4f | %.3g | %.3g | %.2f | %.2f |\n", v.name(), r.System, r.Setting, r.Recall.Recall, r.Seconds, seconds, gain,
				pairs*v.allPairs()/float64(r.Comparisons))
		}
	}
	fmt.Fprintf(w, "\nThe most that another value gains in time:")
	for _, system := range Systems {
		if gain := gains[system]; gain > 0 {
			fmt.Fprintf(w, " %s %.2f;", system, gain)
		}
	}
	fmt.Fprintln(w, " by the spread of times above, which is in it.")
}
