package peers

import (
	"maps"
	"slices"

	"github.com/knng/knng/bench/front"
	"github.com/knng/knng/bench/plot"
)

// Draw draws recall against time, a panel a clock, to path.svg and path.png. Every
// setting is a mark, the median of its runs; the lines are the Pareto fronts.
func Draw(path string, points []Point) error {
	var panels []plot.Panel
	for _, name := range slices.Sorted(maps.Keys(Clocks)) {
		panel := plot.Panel{Title: name, X: "seconds", Y: "recall", LogX: true}
		for style, side := range sides(points) {
			all := settings(points, side, Clocks[name])
			panel.Lines = append(panel.Lines, plot.Line{Name: side, Style: style, Dots: xys(all), Points: xys(front.Of(all))})
		}
		panels = append(panels, panel)
	}
	return plot.Save(path, panels)
}

func xys(points []front.Point) (all []plot.XY) {
	for _, p := range points {
		all = append(all, plot.XY{X: p.Cost, Y: p.Recall})
	}
	return all
}
