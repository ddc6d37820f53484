package speed

import (
	"bytes"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/knng/knng/bench/generate"
	"github.com/knng/knng/bench/peers"
	"github.com/knng/knng/vectors"
)

// Time over memory and neighbors is measured on generated rows in the place of
// SIFT, and shown again where there is no time left.
func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("builds knng")
	}
	dir := t.TempDir()
	rows, err := generate.New(500, 16, vectors.Uint8, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := rows.Write(t.Context(), filepath.Join(dir, "caltech101-sift-1M.u8bin")); err != nil {
		t.Fatal(err)
	}
	knng := filepath.Join(dir, "knng")
	if out, err := exec.Command("go", "build", "-o", knng, "github.com/knng/knng/cmd/knng").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	log, err := peers.OpenLog(filepath.Join(dir, "runs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := &Config{Run: &peers.Config{Knng: knng, Scratch: dir, Log: log}, Data: dir, Made: dir, K: 5, Threads: 1, Repeats: 1, Limit: 400, Out: &out}
	if err := c.Measure(t.Context(), "7"); err != nil {
		t.Fatal(err)
	}
	if first := strings.Count(out.String(), "| exact |"); first != len(recalls) {
		t.Errorf("%d builds, want %d: %s", first, len(recalls), out.String())
	}
	c.Run.Until = time.Now().Add(-time.Second)
	if err := os.Remove(knng); err != nil {
		t.Fatal(err)
	}
	if err := c.Measure(t.Context(), "7"); err != nil {
		t.Errorf("what is there: %v", err)
	}
	if err := c.Measure(t.Context(), "5"); !errors.Is(err, peers.ErrBudget) {
		t.Errorf("what is not there: error %v", err)
	}
	if err := c.Measure(t.Context(), "8"); err == nil {
		t.Error("no error for figure 8")
	}
}

func TestSlope(t *testing.T) {
	// y = 3 x - 1, and noise that least squares do not see.
	if got := slope([]float64{1, 2, 3, 4}, []float64{2.1, 4.7, 7.7, 11.1}); math.Abs(got-3) > 1e-9 {
		t.Errorf("slope %v, want 3", got)
	}
}
