package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
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

// judged describes the rows that are judged, and where they are.
func (r *report) judged() string {
	rows, frequent := len(r.judges.labels), len(r.judges.frequent)
	text := fmt.Sprintf("%d rows of %d labels with %d rows or more", frequent, len(r.judges.groups), r.least)
	if rows == frequent {
		return text + ", alone"
	}
	return fmt.Sprintf("%s, hidden among %d others", text, rows-frequent)
}

// print writes the table, in Markdown.
func (r *report) print(w io.Writer) {
	rows, frequent := len(r.judges.labels), len(r.judges.frequent)
	fmt.Fprintf(w, "\n%s: the %s; k = %d\n", filepath.Base(r.vectors), r.judged(), r.k)
	if rows != frequent {
		fmt.Fprintf(w, "The others are the distracters: the rows of the same file whose label has fewer rows. A label with %d rows or\n", agreeing+1)
		fmt.Fprintf(w, "fewer can have no consistent row, so that the consistency over all %d rows is low whatever the graph.\n", rows)
	}
	fmt.Fprintf(w, "\n| graph | recall@%d | consistency, %d rows | all %d rows | P@10 | nDCG@10 | minus G0 | minus its G1 |\n", r.k, frequent, rows)
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
		for _, line := range paper {
			fmt.Fprintf(w, "| paper: %s | | %.3f | | | | | |\n", line.name, line.consistency)
		}
		fmt.Fprintln(w, "\nThe paper's are other data: 13,374 labeled faces of LFW among 500,000, by another descriptor.")
	}
	fmt.Fprintf(w, "\nConsistency: the share of rows of which more than %d of the %d nearest bear the same label. Differences are of\n", agreeing, listed)
	fmt.Fprintf(w, "consistency over the %d rows, with 95 %% intervals: paired bootstrap, %d times the labels, drawn with all their rows.\n\n", frequent, resamples)
	for i := range r.graphs {
		fmt.Fprintf(w, "%s", r.verdict(i))
	}
}

// paper is its table of local label consistency.
var paper = []struct {
	name        string
	consistency float64
}{{"G0", 0.564}, {"G1", 0.561}, {"G2", 0.689}}

// verdict is the conclusion from the table for one graph: whether G1 is as good as G0, and
// whether G2 is better than both.
func (r *report) verdict(i int) string {
	g, s := r.graphs[i], r.scores[i]
	if i == 0 {
		return ""
	}
	if g.base < 0 {
		off := s.frequent() - r.scores[0].frequent()
		within := map[bool]string{true: "within", false: "not within"}[math.Abs(off) <= near]
		return fmt.Sprintf("- %s: %s %.2f of G0 (%+.4f).\n", g.full, within, near, off)
	}
	low, _ := r.interval(s, r.scores[0])
	lowOwn, _ := r.interval(s, r.scores[g.base])
	above := map[bool]string{true: "above G0 and its G1, both intervals exclude 0", false: "not above both G0 and its G1 by intervals that exclude 0"}[min(low, lowOwn) > 0]
	return fmt.Sprintf("- %s: %s. %s\n", g.full, above, below(s.precision, r.scores[0].precision))
}

// near is how far from G0 a good G1 is.
const near = 0.01

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
	low, high := r.interval(s, other)
	return fmt.Sprintf("%+.4f (%+.4f to %+.4f)", s.frequent()-other.frequent(), low, high)
}

func (r *report) interval(s, other *score) (low, high float64) {
	return interval(s.consistent, other.consistent, r.judges.groups, r.seed)
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
