package shapes

import (
	"context"
	"os"
	"testing"

	"github.com/knng/knng/builder"
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
