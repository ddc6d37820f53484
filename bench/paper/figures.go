package paper

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/knng/knng/bench/front"
	"github.com/knng/knng/bench/plot"
)

// A Figure is a file beside the page, and its caption.
type Figure struct{ File, Caption string }

// style is a system's color and mark, the same in every figure.
func style(system string) int { return slices.Index(Systems, system) }

// other is the style of a curve that is no system's: none of theirs.
func other(i int) int { return len(Systems) + i%(plot.Styles-len(Systems)) }

// figures draws all that the runs hold: all, the figures of the paper, and parts,
// those of single parts of its method.
func (c *Config) figures(runs []Run) (all, parts []Figure, err error) {
	dir := filepath.Join(c.Out, "figures")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, nil, err
	}
	save := func(name, caption string, panels []plot.Panel) {
		if err != nil || len(panels) == 0 {
			return
		}
		err = plot.Save(filepath.Join(dir, name), panels)
		all = append(all, Figure{"figures/" + name, caption})
	}
	for _, v := range compared(runs) {
		file := fmt.Sprintf("%s-%d", v.data, v.rows)
		save("time-"+file, "Accuracy against time, "+v.name()+". Lines join the settings that no other of the system beats; every mark is a setting.", v.curves(byTime))
		save("comparisons-"+file, "Accuracy against comparisons, "+v.name()+".", v.curves(byComparisons))
	}
	save("effective-rate", "The effective rate by division (the paper's Figure 3): new pairs of rows that share a leaf, of all so far.", ratePanels(runs))
	for _, data := range studied(runs) {
		save("growth-"+data, "Comparisons and time over rows, time over dimensions, time of propagation over T: "+data+". The slope is the exponent. Of knng's, pairs are counted before its cache.", growthPanels(runs, data))
	}
	shown := len(all)
	save("order", "Best-first propagation against plain second-order refinement, after the same four divisions.", orderPanels(runs))
	save("triggers", "When to go over to propagation: every rule is a mark; the line is what a fixed number of divisions gives, hindsight.", triggerPanels(runs))
	return all[:shown], all[shown:], err
}

// curves is a panel for every k.
func (v *view) curves(c cost) (panels []plot.Panel) {
	for _, k := range v.ks() {
		p := plot.Panel{Title: fmt.Sprintf("%s, k = %d", v.name(), k), X: c.name, Y: fmt.Sprintf("accuracy (recall@%d)", k), LogX: true, MinY: 0, MaxY: 1}
		for _, system := range Systems {
			points := v.points(system, k, c)
			if system == Naive || len(points) == 0 {
				continue // nothing would be seen of the others
			}
			line := plot.Line{Name: system, Style: style(system), Dots: xys(points), Points: xys(front.Of(points))}
			p.Lines = append(p.Lines, line)
		}
		panels = append(panels, p)
	}
	return panels
}

func xys(points []front.Point) (all []plot.XY) {
	for _, p := range points {
		all = append(all, plot.XY{X: p.Cost, Y: p.Recall})
	}
	return all
}

// ratePanels shows the rates of the longest run of divisions on every matrix.
func ratePanels(runs []Run) []plot.Panel {
	p := plot.Panel{Title: "effective rate by division", X: "division", Y: "effective rate", LogY: true, LegendInside: true}
	longest := 0
	for i, v := range views(runs) {
		rates := v.rates()
		if len(rates) == 0 {
			continue
		}
		line := plot.Line{Name: v.name(), Style: other(i), Dashed: v.rows < 20_000}
		for m, rate := range rates {
			line.Points = append(line.Points, plot.XY{X: float64(m + 1), Y: rate})
		}
		longest = max(longest, len(rates))
		p.Lines = append(p.Lines, line)
	}
	if longest == 0 {
		return nil
	}
	p.Lines = append(p.Lines, plot.Line{Name: "the paper's threshold, 0.05", Style: other(4), Dashed: true, Bare: true,
		Points: []plot.XY{{X: 1, Y: 0.05}, {X: float64(longest), Y: 0.05}}})
	return []plot.Panel{p}
}

// rates are the effective rates of the longest run of divisions.
func (v *view) rates() (rates []float64) {
	for _, r := range v.runs {
		if r.System == Divisions && len(r.Rates) > len(rates) {
			rates = r.Rates
		}
	}
	return rates
}

// growthPanels shows cost over n, d and T.
func growthPanels(runs []Run, data string) []plot.Panel {
	panel := func(title, x, y string) plot.Panel {
		return plot.Panel{Title: data + ": " + title, X: x, Y: y, LogX: true, LogY: true}
	}
	comparisons := panel("comparisons over rows", "rows", "comparisons")
	times := panel("time over rows", "rows", "seconds")
	dims := panel("time over dimensions", "dimensions", "seconds")
	visits := panel("propagation over T", "T, rows visited", "seconds of propagation")
	for _, system := range Systems {
		add := func(p *plot.Panel, study string, x, y func(Run) float64) {
			line := plot.Line{Name: system, Style: style(system)}
			for _, at := range pairsOf(growing(runs, study, data, system), x, y) {
				line.Points = append(line.Points, plot.XY{X: at.x, Y: at.y})
			}
			slices.SortFunc(line.Points, func(a, b plot.XY) int { return int(a.X - b.X) })
			if len(line.Points) > 0 {
				p.Lines = append(p.Lines, line)
			}
		}
		add(&comparisons, "rows", rowsOf, requestedOf)
		add(&times, "rows", rowsOf, secondsOf)
		add(&dims, "dimensions", func(r Run) float64 { return float64(r.Dim) }, secondsOf)
		add(&visits, "visits", visitsOf, func(r Run) float64 { return phaseSeconds(r, "propagation") })
	}
	return slices.DeleteFunc([]plot.Panel{comparisons, times, dims, visits}, func(p plot.Panel) bool { return len(p.Lines) == 0 })
}
