package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/analysis"
)

// showReport prints a report as tables for people.
func showReport(out io.Writer, r *graphReport, s lists) error {
	fmt.Fprintf(out, "%s: %d rows, k=%d, %s\n", r.Dir, r.Rows, r.K, r.Metric)
	showGroups(out, r)
	m, h := r.Mutual, r.Hubness
	fmt.Fprintf(out, "mutual       %d of %d pairs list each other, %.4f of all entries are returned; %d rows have no mutual neighbor; %d components\n",
		m.Mutual, m.Pairs, m.Share, m.Alone, m.Islands)
	fmt.Fprintf(out, "in-degrees   skewness %.3f; %d rows (%.2f %%) are in no list\n", h.Skewness, h.Antihubs, percent(h.Antihubs, h.Rows))
	if r.live {
		fmt.Fprintln(out, "in-neighbors are not kept of a graph that was written to")
	} else if r.InNeighbors == nil {
		fmt.Fprintln(out, "in-neighbors not built; --reverse builds them")
	} else {
		fmt.Fprintf(out, "in-neighbors kept, %d entries, %s\n", r.InNeighbors.Entries, size(r.InNeighbors.Bytes))
	}
	if r.Affinity != nil {
		showAffinity(out, r.Affinity)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	showQuantiles(w, r)
	showHistogram(w, h)
	if err := showHubs(w, r, s); err != nil {
		return err
	}
	return w.Flush()
}

func showGroups(out io.Writer, r *graphReport) {
	c := r.Components
	fmt.Fprintf(out, "components   %d; %d rows are alone%s\n", c.Groups, c.Alone, largest(c.Largest))
	if r.Duplicates == nil {
		fmt.Fprintln(out, "duplicates   not told from inner products")
		return
	}
	d := r.Duplicates
	fmt.Fprintf(out, "duplicates   %d groups of %d rows within distance %g%s\n", d.Groups, d.Rows, *d.Within, largest(d.Largest))
}

// largest names the first of some groups; JSON has as many as --top asks for.
func largest(groups []analysis.Group) string {
	var parts []string
	for _, group := range groups[:min(3, len(groups))] {
		parts = append(parts, fmt.Sprintf("%d rows with row %d", group.Size, group.First))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; the largest: " + strings.Join(parts, ", ")
}

func showQuantiles(w *tabwriter.Writer, r *graphReport) {
	if len(r.Distances) == 0 {
		return
	}
	fmt.Fprint(w, "\nquantile\t")
	for _, share := range r.Shares {
		fmt.Fprintf(w, "%s\t", shareName(share))
	}
	fmt.Fprint(w, "mean\t\n")
	fmt.Fprint(w, "in-degree\t")
	for _, d := range r.Hubness.Quantiles {
		fmt.Fprintf(w, "%d\t", d)
	}
	fmt.Fprintf(w, "%.4g\t\n", r.Hubness.Mean)
	for _, d := range r.Distances {
		fmt.Fprintf(w, "distance to neighbor %d\t", d.Rank)
		for _, v := range d.Quantiles {
			fmt.Fprintf(w, "%.4g\t", v)
		}
		fmt.Fprintf(w, "%.4g\t\n", d.Mean)
	}
}

func shareName(share float64) string {
	switch share {
	case 0:
		return "least"
	case 1:
		return "most"
	}
	return fmt.Sprintf("%g %%", 100*share)
}

func showHistogram(w *tabwriter.Writer, h *analysis.Hubness) {
	fmt.Fprint(w, "\nin-degree\trows\tshare\t\n")
	for _, bin := range h.Histogram {
		name := fmt.Sprint(bin.From)
		if bin.To > bin.From {
			name = fmt.Sprintf("%d to %d", bin.From, bin.To)
		}
		fmt.Fprintf(w, "%s\t%d\t%.2f %%\t\n", name, bin.Rows, percent(bin.Rows, h.Rows))
	}
}

// showHubs lists the rows in most lists, with ids where there are any.
func showHubs(w *tabwriter.Writer, r *graphReport, s lists) error {
	if len(r.Hubness.Hubs) == 0 {
		return nil
	}
	ids := s.Info().IDs
	fmt.Fprint(w, "\nhub: row\tin-degree\t")
	if ids {
		fmt.Fprint(w, "id\t")
	}
	fmt.Fprintln(w)
	for _, hub := range r.Hubness.Hubs {
		fmt.Fprintf(w, "%d\t%d\t", hub.Row, hub.InDegree)
		if ids {
			id, err := s.ID(store.Row(hub.Row))
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s\t", oneLine(id))
		}
		fmt.Fprintln(w)
	}
	return nil
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(max(1, whole)) }
