package main

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// plot draws one curve a graph, to path.svg and path.png. Graphs refined from
// one G1 have its color, dashed.
func (r *report) plot(path, title string, values [][]float64) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s: %s", title, r.judged())
	p.X.Label.Text, p.Y.Label.Text = "K", title
	p.Legend.Top, p.Legend.XOffs = true, vg.Points(-8)
	p.Legend.Padding, p.Legend.ThumbnailWidth = vg.Points(4), vg.Points(36)
	p.X.Padding, p.Y.Padding = vg.Points(4), vg.Points(4)
	p.Add(plotter.NewGrid())
	for i, g := range r.graphs {
		points := make(plotter.XYs, len(values[i]))
		for k, v := range values[i] {
			points[k] = plotter.XY{X: float64(k + 1), Y: v}
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return err
		}
		line.Color = plotutil.Color(i)
		line.Width = vg.Points(1.5)
		if i == 0 { // wide, for G1 lies on it
			line.Color, line.Width = color.Gray{Y: 190}, vg.Points(5)
		}
		if g.base >= 0 {
			line.Color = plotutil.Color(g.base)
			line.Dashes = plotutil.Dashes(i - g.base)
		}
		p.Add(line)
		p.Legend.Add(g.full, line)
	}
	for _, ending := range []string{".svg", ".png"} {
		if err := p.Save(7*vg.Inch, 5*vg.Inch, path+ending); err != nil {
			return err
		}
	}
	return nil
}
