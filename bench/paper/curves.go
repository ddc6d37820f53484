package paper

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/knng/knng/bench/front"
)

// view is the accuracy runs of one matrix.
type view struct {
	data      string
	rows, dim int
	runs      []Run
	spread    float64 // of times; see spread
	good      float64 // yardstick of good hours, of the runs of all matrices
}

// views sorts the accuracy runs out by matrix, larger ones later.
func views(runs []Run) (all []*view) {
	good := goodYardstick(runs)
	for _, r := range runs {
		if r.Study != "accuracy" || r.Error != "" {
			continue
		}
		at := slices.IndexFunc(all, func(v *view) bool { return v.data == r.Data && v.rows == r.Rows && v.dim == r.Dim })
		if at < 0 {
			at = len(all)
			all = append(all, &view{data: r.Data, rows: r.Rows, dim: r.Dim, spread: 1, good: good})
		}
		all[at].runs = append(all[at].runs, r)
	}
	slices.SortStableFunc(all, func(a, b *view) int { return cmp.Or(cmp.Compare(a.data, b.data), cmp.Compare(a.rows, b.rows)) })
	return all
}

// compared are the views with more than brute force in them.
func compared(runs []Run) []*view {
	return slices.DeleteFunc(views(runs), func(v *view) bool {
		return !slices.ContainsFunc(v.runs, func(r Run) bool { return !slices.Contains(Brute, r.System) })
	})
}

// cost is the cost of a run, by one of the two measures.
type cost struct {
	name string // on an axis
	of   func(Run) float64
	unit func(*view) float64
}

var byTime = cost{"seconds", func(r Run) float64 { return r.Seconds }, func(*view) float64 { return 1 }}

var byComparisons = cost{"comparisons, share of all pairs", func(r Run) float64 { return float64(r.Comparisons) },
	(*view).allPairs}

func (v *view) allPairs() float64 { return float64(v.rows) * float64(v.rows-1) / 2 }

// of are the runs of a system that tell a cost. Where those that suffice for a curve were
// made in good hours, others tell nothing of its time.
func (v *view) of(system string, k int, c cost) (all []Run) {
	good := map[string]bool{}
	for _, r := range v.runs {
		if r.System == system && r.K == k {
			all = append(all, r)
			good[r.Setting] = good[r.Setting] || r.steady(v.good)
		}
	}
	suffices := func(s Setting) bool { is, met := good[s.Name]; return is || !met }
	curve := first(Grid(system, v.rows, k))
	if c.name == byTime.name && !slices.ContainsFunc(curve, func(s Setting) bool { return !suffices(s) }) {
		if some := slices.DeleteFunc(slices.Clone(all), func(r Run) bool { return !r.steady(v.good) }); len(some) > 0 {
			return some
		}
	}
	return all
}

// points are the medians over seeds of every setting of a system.
func (v *view) points(system string, k int, c cost) (all []front.Point) {
	settings := map[string][]Run{}
	for _, r := range v.of(system, k, c) {
		if !r.TimedOut {
			settings[r.Setting] = append(settings[r.Setting], r)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		same := settings[name]
		all = append(all, front.Point{
			Recall: median(same, func(r Run) float64 { return r.Recall.Recall }),
			Cost:   median(same, c.of) / c.unit(v),
		})
	}
	return all
}

// at is the cost at which a system reaches a recall.
func (v *view) at(system string, k int, recall float64, c cost) (float64, bool) {
	return front.At(front.Of(v.points(system, k, c)), recall)
}

// cheapest reports whether a system's cheapest setting reaches more than a recall: the result
// of at is then more than the recall would have cost.
func (v *view) cheapest(system string, k int, recall float64, c cost) bool {
	return front.Begins(front.Of(v.points(system, k, c)), recall)
}

// tried reports whether a system was run with all its settings that end in
// time: it does not reach a recall that it has not reached then.
func (v *view) tried(system string, k int) bool {
	run, late := map[string]bool{}, map[string]bool{}
	for _, r := range v.runs {
		if r.System == system && r.K == k {
			run[r.Setting] = true
			late[r.Setting] = late[r.Setting] || r.TimedOut
		}
	}
	grid, least := Grid(system, v.rows, k), math.Inf(1)
	for _, s := range grid {
		if late[s.Name] {
			least = min(least, s.Cost)
		}
	}
	return !slices.ContainsFunc(grid, func(s Setting) bool { return s.Cost < least && !run[s.Name] })
}

// best names the most that some systems reach, and for how much.
func (v *view) best(systems []string, k int) string {
	name, best := "", front.Point{}
	for _, system := range systems {
		for _, p := range v.points(system, k, byTime) {
			if p.Recall > best.Recall {
				name, best = system, p
			}
		}
	}
	if name == "" {
		return "none was run"
	}
	return fmt.Sprintf("the most so far is %s, %.1f %% in %.3g s", name, 100*best.Recall, best.Cost)
}

// within is the recall that a system reaches for a cost.
func (v *view) within(system string, k int, most float64, c cost) float64 {
	return front.Within(front.Of(v.points(system, k, c)), most)
}

// fastest is the rival that reaches a recall first.
func (v *view) fastest(systems []string, k int, recall float64, c cost) (name string, least float64, ok bool) {
	for _, system := range systems {
		if cost, reached := v.at(system, k, recall, c); reached && (!ok || cost < least) {
			name, least, ok = system, cost, true
		}
	}
	return name, least, ok
}

// ks are the list lengths that were run.
func (v *view) ks() []int {
	all := map[int]bool{}
	for _, r := range v.runs {
		all[r.K] = true
	}
	return slices.Sorted(maps.Keys(all))
}

func median(runs []Run, of func(Run) float64) float64 {
	values := make([]float64, len(runs))
	for i, r := range runs {
		values[i] = of(r)
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// xy is a pair of numbers to fit.
type xy struct{ x, y float64 }

// exponent is the slope of log y over log x by least squares: y grows like x to
// that power.
func exponent(points []xy) (slope float64, ok bool) {
	var n, sx, sy, sxx, sxy float64
	for _, p := range points {
		if p.x <= 0 || p.y <= 0 {
			continue
		}
		x, y := math.Log(p.x), math.Log(p.y)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	if n < 2 || n*sxx == sx*sx {
		return 0, false
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx), true
}

// growing are the runs of a study of growth of one system.
func growing(runs []Run, study, data, system string) (all []Run) {
	for _, r := range runs {
		if r.Study == study && r.Data == data && r.System == system && r.Error == "" && !r.TimedOut {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b Run) int { return cmp.Or(cmp.Compare(a.Rows, b.Rows), cmp.Compare(a.Dim, b.Dim)) })
	return all
}

func pairsOf(runs []Run, x, y func(Run) float64) (all []xy) {
	for _, r := range runs {
		all = append(all, xy{x(r), y(r)})
	}
	return all
}

// phaseSeconds sums the phases of knng's builder whose name has a prefix.
func phaseSeconds(r Run, prefix string) (sum float64) {
	for name, seconds := range r.Detail {
		if len(name) >= len("seconds "+prefix) && name[:len("seconds "+prefix)] == "seconds "+prefix {
			sum += seconds
		}
	}
	return sum
}
