package ablation

import (
	"fmt"
	"io"
	"strings"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/distance"
)

// metricOf is the metric of a store that was built here.
func metricOf(s *store.Store) distance.Metric {
	m, err := distance.ParseMetric(s.Info().Manifest.Metric)
	if err != nil {
		return distance.Euclidean
	}
	return m
}

// Header begins the table of PrintRow.
func Header(w io.Writer) {
	fmt.Fprintf(w, "| variant | accuracy | divisions | requested | computed | wall s | CPU s | carving s | leaves s | propagation s |\n")
	fmt.Fprintf(w, "|---|---|---|---|---|---|---|---|---|---|\n")
}

// PrintRow prints an outcome as a line of a Markdown table.
func PrintRow(w io.Writer, r Row) {
	res := r.Result
	fmt.Fprintf(w, "| %s | %.4f | %d | %.4g | %.4g | %.2f | %.2f | %.2f | %.2f | %.2f |\n", r.Variant, r.Accuracy.Recall,
		res.Divisions, float64(res.RequestedPairs), float64(res.Comparisons), res.Seconds, res.CPUSeconds,
		phase(res, ": carve"), phase(res, "division")-phase(res, ": carve"), phase(res, "propagation"))
}

// phase sums the phases whose name has a part.
func phase(res *builder.Result, part string) (sum float64) {
	for _, p := range res.Phases {
		if strings.Contains(p.Name, part) {
			sum += p.Seconds
		}
	}
	return sum
}
