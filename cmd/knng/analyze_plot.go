package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/cmd/knng/internal/chart"
	"github.com/knng/knng/cmd/knng/internal/explore"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/aside"
)

// plotSample is how many rows a plot of recall is of.
const plotSample = 1000

// draw writes the plot: in-degrees, distances, and recall by row where it can be measured.
func (a *analyzeFlags) draw(ctx context.Context, g *globals, s *store.Store, dir string) error {
	figures, _, err := explore.Measure(ctx, s)
	if err != nil {
		return err
	}
	charts := []chart.Histogram{degrees(figures),
		plotted("Distance to the nearest neighbor", figures.Nearest), plotted("Distance to the last neighbor", figures.Farthest)}
	switch per, err := builder.RecallByRow(ctx, s, plotSample, 1, g.reporter()); {
	case errors.Is(err, builder.ErrOwnDistance) || len(per) == 0 && err == nil:
	case err != nil:
		return err
	default:
		charts = append(charts, recalls(per))
	}
	f, err := aside.Create(a.plot)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := chart.SVG(f, fmt.Sprintf("%s: %d rows, k=%d, %s", filepath.Base(dir), s.Len(), s.K(), s.Info().Distance), charts); err != nil {
		return err
	}
	return f.Commit()
}

// degrees is the histogram of in-degrees, whose bars double in width.
func degrees(f *explore.Figures) chart.Histogram {
	h := chart.Histogram{Title: "Rows by in-degree: 0, 1, 2 to 3, 4 to 7, …", Low: "0", Unit: "rows"}
	for _, bin := range f.InDegrees {
		h.Counts, h.High = append(h.Counts, bin.Rows), fmt.Sprint(bin.To)
	}
	return h
}

func plotted(title string, h explore.Histogram) chart.Histogram {
	return chart.Histogram{Title: title, Low: fmt.Sprintf("%.4g", h.Low), High: fmt.Sprintf("%.4g and more", h.High), Counts: h.Counts, Unit: "rows"}
}

// recalls is the histogram of the recall of sampled rows, in twentieths.
func recalls(per []float64) chart.Histogram {
	h := chart.Histogram{Title: fmt.Sprintf("Recall of %d rows", len(per)), Low: "0", High: "1", Counts: make([]int, 21), Unit: "rows"}
	for _, x := range per {
		h.Counts[int(x*20)]++
	}
	return h
}
