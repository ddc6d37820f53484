package shapes

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors/distance"
)

// TestShapes builds every shape in small, by every method that divides. A build that
// falls short of its target must say so.
func TestShapes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds some hundred graphs")
	}
	c := Config{Scale: 0.02, Methods: []builder.Method{builder.Auto, builder.Balls, builder.Parts}, Targets: []float64{0.95},
		K: 10, Sample: 200, Seed: 1, Threads: 2, Scratch: t.TempDir()}
	inside, all := 0, 0
	err := c.Run(context.Background(), func(r Row) {
		all++
		if r.Failure == "" && r.Inside() {
			inside++
		}
		if faults := r.Faults(); len(faults) > 0 {
			t.Errorf("%v", faults)
			r.Print(os.Stderr)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if float64(inside) < 0.93*float64(all) {
		t.Errorf("%d of %d intervals hold the recall found", inside, all)
	}
}

// TestTabs: a line has a value for each column, of a build that failed too.
func TestTabs(t *testing.T) {
	var b strings.Builder
	if err := HeadTSV(&b); err != nil {
		t.Fatal(err)
	}
	done := Row{Shape: "s", N: 300, Dim: 4, Metric: distance.Euclidean, Method: builder.Auto, Target: 0.95, Found: 0.96, Pairs: 0.25,
		Result: &builder.Result{Method: builder.Balls, Recall: builder.RecallEstimate{Recall: 0.961, Low: 0.95, High: 0.97}, CPUSeconds: 1.5}}
	failed := Row{Shape: "s", N: 300, Dim: 4, Metric: distance.Euclidean, Method: builder.Auto, Target: 0.95, Failure: "no room"}
	for _, r := range []Row{done, failed} {
		if err := r.Tabs(&b); err != nil {
			t.Fatal(err)
		}
	}
	want := "shape\trows\tdim\tmetric\tmethod\tused\tasked\tfound\treported\tlow\thigh\tpairs\tcpu_seconds\n" +
		"s\t300\t4\teuclidean\tauto\tballs\t0.95\t0.9600\t0.9610\t0.9500\t0.9700\t0.250\t1.50\n" +
		"s\t300\t4\teuclidean\tauto\t\t0.95\t\t\t\t\t\t\n"
	if b.String() != want {
		t.Errorf("%q\nwant %q", b.String(), want)
	}
}
