package paper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/knng/knng/bench/plot"
	"github.com/knng/knng/bench/theory"
)

// theoryPath is the file of a report.
func (r *runner) theoryPath(j *job) string {
	return filepath.Join(r.Out, fmt.Sprintf("theory-%s-%d.json", j.Data, j.Rows))
}

// theoryOf holds the lemmas against one file. Nothing in it is timed: it may use
// all processors.
func (r *runner) theoryOf(ctx context.Context, j *job) error {
	part, err := j.data.first(j.Rows, j.Dim)
	if err != nil {
		return err
	}
	r.Say("%5.1f min: theory %s, %d rows", time.Since(r.began).Minutes(), j.Data, j.Rows)
	report, err := theory.Run(ctx, theory.Config{Rows: part.rows, K: j.K, LeafSize: 500, Sample: min(1000, j.Rows/8), Estimate: 64, Trees: 32, Seed: j.Seed, Threads: runtime.GOMAXPROCS(0)})
	if err != nil {
		return err
	}
	report.Data = j.Data
	text, err := json.Marshal(report)
	if err != nil {
		return err
	}
	return os.WriteFile(r.theoryPath(j), append(text, '\n'), 0o666)
}

// reports reads the reports that are there.
func (c *Config) reports() (all []theory.Report, err error) {
	paths, err := filepath.Glob(filepath.Join(c.Out, "theory-*.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var r theory.Report
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, r)
	}
	return all, nil
}

// aspects are the figures of a report.
var aspects = []struct {
	file, caption, x, y string
	curves              func(theory.Report) []theory.Curve
}{
	{"lemma-1", "Lemma 1: true neighbors that share a leaf in at least one of L trees.", "L, trees", "share of pairs", func(r theory.Report) []theory.Curve { return r.Found }},
	{"lemma-2", "Lemma 2: true neighbors that the L-th tree finds and those before it did not.", "L, trees", "share of pairs", func(r theory.Report) []theory.Curve { return r.New }},
	{"lemma-3", "Lemma 3 and its generalisation: every step of a path over 1, 2 or 3 intermediates has been found after L - 1 trees.", "L, trees", "share of pairs with a path", func(r theory.Report) []theory.Curve { return r.Paths }},
	{"theorem-1", "Theorem 1: found by L trees and one round, over pairs with a common neighbor. The paper's bound takes the smallest P.", "L, trees", "share of pairs", func(r theory.Report) []theory.Curve { return r.Round }},
	{"per-pair", "Per pair: the predicted probability that a tree, or one of 4 or 16, discovers it, and the share of other trees, or of groups of them, that did (pairs of like prediction together).", "predicted", "found", func(r theory.Report) []theory.Curve { return r.PerPair }},
	{"levels", "P by level: how often a hyperplane leaves true neighbors together that reach it together. The lemmas suppose a level line.", "level of the tree", "P", func(r theory.Report) []theory.Curve { return r.Levels }},
	{"known-p", "The appendix's dividers, whose P is known from the distance alone: per pair, as above.", "predicted", "found", func(r theory.Report) []theory.Curve { return r.Known }},
}

// theoryFigures draws every aspect, a panel for each report.
func (c *Config) theoryFigures(reports []theory.Report) (all []Figure, err error) {
	if len(reports) == 0 {
		return nil, nil
	}
	for _, a := range aspects {
		var panels []plot.Panel
		for _, r := range reports {
			p := plot.Panel{Title: fmt.Sprintf("%s, %s x %d, h = %d", r.Data, thousands(r.Rows), r.Dim, r.Depth), X: a.x, Y: a.y, MaxY: 1}
			if a.file == "lemma-2" {
				p.MaxY, p.LogY = 0, true // rare
			}
			curves := a.curves(r)
			for i, curve := range curves {
				p.Lines = append(p.Lines, theoryLine(a.file, i, curve))
			}
			panels = append(panels, p)
		}
		if err := plot.Save(filepath.Join(c.Out, "figures", a.file), panels); err != nil {
			return nil, err
		}
		all = append(all, Figure{"figures/" + a.file, a.caption})
	}
	return all, nil
}

// theoryLine gives a curve its looks: measurements are whole lines, predictions are
// dashed; curves of one path length have one color.
func theoryLine(file string, i int, c theory.Curve) plot.Line {
	line := plot.Line{Name: c.Name, Style: other(i), Dashed: c.Predicted, Bare: c.Predicted && !strings.Contains(c.Name, "by trees")}
	if file == "lemma-3" {
		line.Style = other(i / 3)
	}
	for n := range c.X {
		line.Points = append(line.Points, plot.XY{X: c.X[n], Y: c.Y[n]})
	}
	return line
}

// theoryTable gives the deviations in numbers.
func theoryTable(w io.Writer, reports []theory.Report) {
	for _, r := range reports {
		fmt.Fprintf(w, "\n### %s, %s x %d: %s pairs of true neighbors (k = %d), h = %d\n\n", r.Data, thousands(r.Rows), r.Dim, thousands(r.Pairs), r.K, r.Depth)
		fmt.Fprintf(w, "%.1f %% of the pairs have a common neighbor. P: smallest %.3f, 1 %% quantile %.3f, 5 %% %.3f, median %.3f.\n\n", 100*r.Common, r.Quantiles[0], r.Quantiles[1], r.Quantiles[2], r.Quantiles[3])
		fmt.Fprintf(w, "| curve | L = 2 | L = 4 | L = 8 | L = 16 | L = 32 |\n|---|---|---|---|---|---|\n")
		for _, group := range []struct {
			name   string
			curves []theory.Curve
		}{{"Lemma 1", r.Found}, {"Lemma 2", r.New}, {"Lemma 3", r.Paths}, {"Theorem 1", r.Round}} {
			for _, c := range group.curves {
				fmt.Fprintf(w, "| %s: %s |", group.name, strings.TrimPrefix(c.Name, group.name+" "))
				for _, l := range []float64{2, 4, 8, 16, 32} {
					fmt.Fprintf(w, " %s |", valueAt(c, l))
				}
				fmt.Fprintln(w)
			}
		}
	}
}

func valueAt(c theory.Curve, x float64) string {
	for i, at := range c.X {
		if at == x {
			return fmt.Sprintf("%.4f", c.Y[i])
		}
	}
	return "-"
}
