package larger

import (
	"cmp"
	"slices"

	"github.com/knng/knng/bench/plot"
)

// cost is one of the costs of a row.
type cost struct {
	name string
	of   func(Run) float64
}

var costs = []cost{
	{"µs a row", func(r Run) float64 { return 1e6 * r.Outcome.Seconds / float64(r.Rows) }},
	{"bytes read a row", func(r Run) float64 { return float64(r.Outcome.ReadBytes) / float64(r.Rows) }},
	{"bytes written a row", func(r Run) float64 { return float64(r.Outcome.WrittenBytes) / float64(r.Rows) }},
}

// Draw draws the cost of a row over the number of rows to path.svg and path.png,
// from zero: lines through medians, every run a mark. Runs that did not finish are left out.
func Draw(path string, runs []Run) error {
	var panels []plot.Panel
	for style, c := range costs {
		all, most := map[int][]float64{}, 0.0
		line := plot.Line{Name: c.name, Style: style}
		for _, r := range runs {
			if _, failed := r.Outcome.Failed(); !failed {
				all[r.Rows] = append(all[r.Rows], c.of(r))
				line.Dots = append(line.Dots, plot.XY{X: float64(r.Rows) / 1e6, Y: c.of(r)})
				most = max(most, c.of(r))
			}
		}
		for rows, values := range all {
			line.Points = append(line.Points, plot.XY{X: float64(rows) / 1e6, Y: median(values)})
		}
		slices.SortFunc(line.Points, func(a, b plot.XY) int { return cmp.Compare(a.X, b.X) })
		panels = append(panels, plot.Panel{Title: c.name, X: "million rows", Y: c.name, MaxY: 1.1 * most, Lines: []plot.Line{line}})
	}
	return plot.Save(path, panels)
}
