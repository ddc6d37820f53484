package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// report shows the graphs of one set of rows.
type report struct {
	*config
	set    string // "hidden", "alone"
	graphs []*graph
	scores []*score
	judges *judges
}

// print writes the table, in Markdown.
func (r *report) print(w io.Writer) {
	rows, frequent, people := len(r.judges.labels), len(r.judges.frequent), len(r.judges.groups)
	what := fmt.Sprintf("the %d rows of %d labels with %d rows or more, hidden among %d others", frequent, people, r.least, rows-frequent)
	if rows == frequent {
		what = fmt.Sprintf("the %d rows of %d labels with %d rows or more, alone", frequent, people, r.least)
	}
	fmt.Fprintf(w, "\n%s: %s; k = %d\n\n", filepath.Base(r.vectors), what, r.k)
	fmt.Fprintf(w, "| graph | recall@%d | consistency, %d rows | all %d rows | P@10 | nDCG@10 | minus G0 | minus its G1 |\n", r.k, frequent, rows)
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
	for i, g := range r.graphs {
		s := r.scores[i]
		recall, fromG0, fromG1 := "", "", ""
		if g.base < 0 {
			recall = fmt.Sprintf("%.4f", g.recall)
		} else {
			fromG1 = r.difference(s, r.scores[g.base])
		}
		if i > 0 {
			fromG0 = r.difference(s, r.scores[0])
		}
		fmt.Fprintf(w, "| %s | %s | %.4f | %.4f | %.4f | %.4f | %s | %s |\n", g.name, recall,
			s.frequent(), s.all, s.precision[listed-1], s.ndcg[listed-1], fromG0, fromG1)
	}
	if rows != frequent {
		fmt.Fprintln(w, "| paper: G0, G1, G2 (13,374 faces of LFW among 500,000, another descriptor) | | 0.564, 0.561, 0.689 | | | | | |")
	}
	fmt.Fprintf(w, "\nConsistency: the share of rows of which more than %d of the %d nearest bear the same label. Differences are of\n", agreeing, listed)
	fmt.Fprintf(w, "consistency over the %d rows, with 95 %% intervals: paired bootstrap, %d times the labels, drawn with all their rows.\n", frequent, resamples)
	for i, g := range r.graphs {
		if g.base >= 0 {
			fmt.Fprintf(w, "%s: %s\n", g.full, below(r.scores[i].precision, r.scores[0].precision))
		}
	}
}

// below says plainly where a curve lies under that of G0.
func below(curve, exact []float64) string {
	var at []string
	for i, v := range curve {
		if i < len(exact) && v < exact[i] {
			at = append(at, strconv.Itoa(i+1))
		}
	}
	if at == nil {
		return "Precision@K nowhere below G0's."
	}
	return "Precision@K below G0's at K = " + strings.Join(at, ", ") + "."
}

// difference is s minus other with its interval.
func (r *report) difference(s, other *score) string {
	low, high := interval(s.consistent, other.consistent, r.judges.groups, r.seed)
	return fmt.Sprintf("%+.4f (%+.4f to %+.4f)", s.frequent()-other.frequent(), low, high)
}

// curves writes Precision@K and nDCG@K as CSV and plots.
func (r *report) curves(dir string) error {
	for _, c := range []struct {
		name, title string
		of          func(*score) []float64
	}{
		{"precision", "Precision@K", func(s *score) []float64 { return s.precision }},
		{"ndcg", "nDCG@K", func(s *score) []float64 { return s.ndcg }},
	} {
		path := filepath.Join(dir, r.set+"-"+c.name)
		values := make([][]float64, len(r.scores))
		for i, s := range r.scores {
			values[i] = c.of(s)
		}
		if err := r.writeCSV(path+".csv", values); err != nil {
			return err
		}
		if err := r.plot(path, c.title, values); err != nil {
			return err
		}
	}
	return nil
}

// writeCSV writes a line for each K and a column for each graph.
func (r *report) writeCSV(path string, values [][]float64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	line := []string{"K"}
	for _, g := range r.graphs {
		line = append(line, g.full)
	}
	w.Write(line)
	for k := range values[0] {
		line = append(line[:0], strconv.Itoa(k+1))
		for _, v := range values {
			line = append(line, strconv.FormatFloat(v[k], 'f', 5, 64))
		}
		w.Write(line)
	}
	w.Flush()
	return errors.Join(w.Error(), f.Close())
}
