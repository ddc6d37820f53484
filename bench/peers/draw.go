package peers

import (
	"slices"
	"strings"

	"github.com/knng/knng/bench/front"
	"github.com/knng/knng/bench/plot"
)

// Draw draws recall against time, a panel a clock, to path.svg and path.png. Every
// setting is a mark, the median of its runs; the lines are the Pareto fronts.
func Draw(path string, points []Point) error {
	var panels []plot.Panel
	for _, clock := range []string{MemoryClock, FileClock, CPUClock} {
		panels = append(panels, panel(clock, points, clock))
	}
	return plot.Save(path, panels)
}

// Sample is the runs on a set, and its label.
type Sample struct {
	Name   string
	Points []Point
}

// DrawSets draws recall against time from rows to lists, a panel a set.
func DrawSets(path string, sets []Sample) error {
	var panels []plot.Panel
	for _, set := range sets {
		panels = append(panels, panel(set.Name, set.Points, MemoryClock))
	}
	return plot.Save(path, panels)
}

// drawn are the sides of a figure: each has its color in all of them. Ours in another
// arithmetic are told by a table.
var drawn = []string{"faiss-flat", Ours, "openblas", "faiss-ivf", "faiss-nndescent", "hnswlib", "pynndescent", "usearch", "faiss-hnsw"}

func panel(title string, points []Point, clock string) plot.Panel {
	p := plot.Panel{Title: title, X: "seconds", Y: "recall", LogX: true, Lacking: true}
	for _, side := range sides(points) {
		if strings.HasPrefix(side, Ours+" ") {
			continue
		}
		style := slices.Index(drawn, side)
		if style < 0 {
			style = len(drawn)
		}
		all := settings(points, side, Clocks[clock])
		p.Lines = append(p.Lines, plot.Line{Name: side, Style: style, Dots: xys(all), Points: xys(front.Of(all))})
	}
	return p
}

func xys(points []front.Point) (all []plot.XY) {
	for _, p := range points {
		all = append(all, plot.XY{X: p.Cost, Y: p.Recall})
	}
	return all
}
