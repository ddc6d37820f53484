// Package plot draws curves and tiles of them, by gonum/plot, as SVG and PNG. It
// is the one place that knows the plotting library.
package plot

import (
	"fmt"
	"image/color"
	"os"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// XY is a point.
type XY struct{ X, Y float64 }

// Line is a named curve, with marks at its points.
type Line struct {
	Name   string
	Style  int  // color and mark: the same number looks the same in every figure
	Points []XY // where it passes
	Dots   []XY // more marks, that it does not pass
	Dashed bool
	Bare   bool // no marks
}

// Panel is one pair of axes.
type Panel struct {
	Title, X, Y  string
	LogX, LogY   bool
	Lacking      bool // Y is a share, drawn by the logarithm of what it lacks to 1
	Lines        []Line
	MinY, MaxY   float64 // both 0: from the data
	LegendInside bool    // name the lines here, not beside the panels
}

// palette is colors that people who see few colors can tell apart (Okabe, Ito),
// and some more shades.
var palette = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 0, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {230, 159, 0, 255},
	{86, 180, 233, 255}, {120, 94, 60, 255}, {120, 120, 120, 255}, {150, 60, 180, 255}, {160, 160, 0, 255}, {0, 90, 90, 255},
	{170, 0, 60, 255}, {60, 60, 190, 255}, {90, 150, 60, 255}, {225, 120, 120, 255}, {60, 60, 60, 255}, {0, 190, 190, 255},
}

// Styles is how many styles look different from each other.
var Styles = len(palette)

var marks = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.CircleGlyph{}, draw.BoxGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}, draw.SquareGlyph{},
	draw.CrossGlyph{}, draw.PlusGlyph{}, draw.RingGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.TriangleGlyph{},
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{},
}

const (
	width  = 11 * vg.Centimeter
	height = 9.5 * vg.Centimeter
	legend = 7.5 * vg.Centimeter // the width of the names of lines
)

// Save draws panels, two in a row, and the names of their lines beside them, to
// path.svg and path.png.
func Save(path string, panels []Panel) error {
	plots := make([]*gonum.Plot, 0, len(panels)+1)
	inside := true
	for _, p := range panels {
		inside = inside && p.LegendInside
		one, err := p.draw()
		if err != nil {
			return fmt.Errorf("plot: %s: %w", path, err)
		}
		plots = append(plots, one)
	}
	s := sheet{plots: plots, columns: min(len(plots), 2)}
	if !inside {
		s.names = names(panels)
	}
	w, h := s.size()
	svg := vgsvg.New(w, h)
	s.draw(draw.New(svg))
	if err := write(path+".svg", func(f *os.File) error { _, err := svg.WriteTo(f); return err }); err != nil {
		return err
	}
	image := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(110))
	s.draw(draw.New(image))
	return write(path+".png", func(f *os.File) error { _, err := vgimg.PngCanvas{Canvas: image}.WriteTo(f); return err })
}

// sheet is a figure: plots in rows, and the names of their lines in the place that
// is left free, or beside them.
type sheet struct {
	plots   []*gonum.Plot
	names   *gonum.Plot // nil: none
	columns int
}

func (s *sheet) rows() int { return (len(s.plots) + s.columns - 1) / s.columns }

// free reports whether the last row has a place for the names.
func (s *sheet) free() bool { return len(s.plots) < s.rows()*s.columns }

func (s *sheet) size() (w, h vg.Length) {
	w, h = width*vg.Length(s.columns), height*vg.Length(s.rows())
	if s.names != nil && !s.free() {
		w += legend
	}
	return w, h
}

// draw draws the plots in rows and columns, their axes aligned.
func (s *sheet) draw(dc draw.Canvas) {
	t := draw.Tiles{Rows: s.rows(), Cols: s.columns, PadX: 4 * vg.Millimeter, PadY: 4 * vg.Millimeter, PadTop: 2 * vg.Millimeter,
		PadBottom: 2 * vg.Millimeter, PadLeft: 2 * vg.Millimeter, PadRight: 4 * vg.Millimeter}
	area := dc
	if s.names != nil && !s.free() {
		area = draw.Crop(dc, 0, -legend, 0, 0)
		s.names.Draw(draw.Crop(dc, width*vg.Length(s.columns), 0, 0, 0))
	} else if s.names != nil {
		s.names.Draw(t.At(dc, s.columns-1, s.rows()-1))
	}
	table := make([][]*gonum.Plot, t.Rows)
	for i := range table {
		table[i] = make([]*gonum.Plot, t.Cols)
		copy(table[i], s.plots[i*t.Cols:min((i+1)*t.Cols, len(s.plots))])
	}
	for i, row := range gonum.Align(table, t, area) {
		for j, canvas := range row {
			if table[i][j] != nil {
				table[i][j].Draw(canvas)
			}
		}
	}
}

func write(path string, fn func(f *os.File) error) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	return fn(f)
}

func (p *Panel) draw() (*gonum.Plot, error) {
	one := gonum.New()
	one.Title.Text, one.X.Label.Text, one.Y.Label.Text = p.Title, p.X, p.Y
	one.Add(plotter.NewGrid())
	one.X.Tick.Marker, one.Y.Tick.Marker = steps{}, steps{}
	if p.LogX {
		one.X.Scale, one.X.Tick.Marker = gonum.LogScale{}, powers{}
	}
	if p.LogY {
		one.Y.Scale, one.Y.Tick.Marker = gonum.LogScale{}, powers{}
	}
	if p.Lacking {
		one.Y.Scale, one.Y.Tick.Marker = lacking{}, lacking{}
	}
	drawn := 0
	for _, line := range p.Lines {
		things, err := line.draw(p)
		if err != nil {
			return nil, err
		}
		for _, thing := range things {
			one.Add(thing)
			drawn++
		}
		if p.LegendInside && len(things) > 0 {
			one.Legend.Add(line.Name, thumbnails(things)...)
		}
	}
	if drawn == 0 {
		one.X.Min, one.X.Max, one.Y.Min, one.Y.Max = 0.1, 1, 0.1, 1
	}
	one.Legend.Top, one.Legend.Padding = true, vg.Millimeter
	if p.MinY != p.MaxY {
		one.Y.Min, one.Y.Max = p.MinY, p.MaxY
	}
	widen(&one.X)
	widen(&one.Y)
	return one, nil
}

// widen gives an axis of one point some length.
func widen(a *gonum.Axis) {
	if a.Min == a.Max {
		a.Min, a.Max = a.Min*0.8, a.Max*1.25+1e-9
	}
}

// names is a panel without axes that names every line once.
func names(panels []Panel) *gonum.Plot {
	one := gonum.New()
	one.HideAxes()
	one.Legend.Top, one.Legend.Left = true, true
	one.Legend.YOffs = -vg.Centimeter
	one.Legend.Padding = vg.Millimeter
	seen := map[string]bool{}
	for i := range panels {
		for _, line := range panels[i].Lines {
			things, err := line.draw(&panels[i])
			if err == nil && len(things) > 0 && !seen[line.Name] {
				seen[line.Name] = true
				one.Legend.Add(line.Name, thumbnails(things)...)
			}
		}
	}
	return one
}

func thumbnails(things []gonum.Plotter) (all []gonum.Thumbnailer) {
	for _, thing := range things {
		if t, ok := thing.(gonum.Thumbnailer); ok {
			all = append(all, t)
		}
	}
	return all
}

// draw makes the plotters of a line: none where it has no points.
func (l *Line) draw(p *Panel) (things []gonum.Plotter, err error) {
	at, dots := xys(l.Points, p), xys(l.Dots, p)
	look := palette[l.Style%len(palette)]
	if len(at) > 0 {
		line, err := plotter.NewLine(at)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = look, vg.Points(1.5)
		if l.Dashed {
			line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
		}
		things = append(things, line)
	}
	if all := append(at, dots...); len(all) > 0 && !l.Bare {
		scatter, err := plotter.NewScatter(all)
		if err != nil {
			return nil, err
		}
		scatter.GlyphStyle = draw.GlyphStyle{Color: look, Radius: vg.Points(2.6), Shape: marks[l.Style%len(marks)]}
		things = append(things, scatter)
	}
	return things, nil
}

// xys leaves out points that a logarithmic axis cannot show.
func xys(points []XY, p *Panel) (all plotter.XYs) {
	for _, at := range points {
		if p.LogX && at.X <= 0 || p.LogY && at.Y <= 0 {
			continue
		}
		all = append(all, plotter.XY{X: at.X, Y: at.Y})
	}
	return all
}
