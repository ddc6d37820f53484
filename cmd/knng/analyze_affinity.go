package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/knng/knng/cmd/knng/internal/number"
	"github.com/knng/knng/store/analysis"
	"github.com/knng/knng/store/analysis/affinity"
	"github.com/knng/knng/vectors/aside"
)

// mostIterations is where affinity propagation gives up.
const mostIterations = 1000

// An affinityReport is the result of affinity propagation.
type affinityReport struct {
	File       string           `json:"file"` // row,exemplar of every row
	Clusters   int              `json:"clusters"`
	Alone      int              `json:"alone"` // clusters of a row that has no exemplar in its list
	Preference number.Float32   `json:"preference"`
	Iterations int              `json:"iterations"`
	Converged  bool             `json:"converged"`
	Largest    []analysis.Group `json:"largest"` // first is the exemplar
}

// propagate clusters the graph and writes which exemplar every row follows. The
// messages lie beside that file while it works: 32 bytes an entry of the lists.
func (a *analyzeFlags) propagate(ctx context.Context, w *watched) (*affinityReport, error) {
	steps := &steps{to: w.to}
	defer steps.end()
	o := affinity.Options{Iterations: mostIterations, Scratch: filepath.Dir(a.affinity), Progress: func(iteration, _ int) {
		steps.tell("affinity", "iterations", int64(iteration), mostIterations)
	}}
	if a.preferred {
		o.Preference = &a.preference
	}
	c, err := affinity.Cluster(ctx, w.Len(), affinity.OfStore(w.Store), o)
	if err != nil {
		return nil, err
	}
	if err := writeExemplars(a.affinity, c.Exemplars); err != nil {
		return nil, err
	}
	clusters := clustersOf(c.Exemplars)
	return &affinityReport{File: a.affinity, Clusters: c.Clusters, Alone: c.Alone, Preference: number.Float32(c.Preference),
		Iterations: c.Iterations, Converged: c.Converged, Largest: clusters[:min(a.top, len(clusters))]}, nil
}

// clustersOf lists clusters by exemplar, largest first.
func clustersOf(exemplars []uint32) []analysis.Group {
	sizes := make([]int, len(exemplars))
	for _, e := range exemplars {
		sizes[e]++
	}
	clusters := []analysis.Group{}
	for e, size := range sizes {
		if size > 0 {
			clusters = append(clusters, analysis.Group{First: uint32(e), Size: size})
		}
	}
	slices.SortStableFunc(clusters, func(a, b analysis.Group) int { return cmp.Compare(b.Size, a.Size) })
	return clusters
}

// writeExemplars writes a line for every row, to a file that has its name when it is whole.
func writeExemplars(path string, exemplars []uint32) error {
	f, err := aside.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "row,exemplar")
	for row, exemplar := range exemplars {
		fmt.Fprintf(w, "%d,%d\n", row, exemplar)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Commit()
}

// showAffinity prints the result of affinity propagation for people.
func showAffinity(out io.Writer, r *affinityReport) {
	how := "converged after"
	if !r.Converged {
		how = "not converged after"
	}
	fmt.Fprintf(out, "affinity     %d clusters, %d of them rows alone%s; preference %g, %s %d iterations; written to %s\n",
		r.Clusters, r.Alone, largest(r.Largest), r.Preference, how, r.Iterations, r.File)
}
