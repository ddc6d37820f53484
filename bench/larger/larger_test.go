package larger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/knng/knng/bench/capped"
	"github.com/knng/knng/bench/generate"
	"github.com/knng/knng/vectors"
)

// binary builds knng, once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "knng-")
	if err != nil {
		return "", err
	}
	knng := filepath.Join(dir, "knng")
	out, err := exec.Command("go", "build", "-o", knng, "github.com/knng/knng/cmd/knng").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return knng, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if built {
		if knng, err := binary(); err == nil {
			os.RemoveAll(filepath.Dir(knng))
		}
	}
	os.Exit(code)
}

// built tells TestMain that there is something to remove.
var built bool

// setup makes rows and a knng, or skips where no cgroup can be made.
func setup(t *testing.T) *Config {
	t.Helper()
	if testing.Short() {
		t.Skip("builds knng")
	}
	c := capped.Config{Args: []string{"true"}, Cap: 1 << 30}
	if _, err := c.Run(t.Context()); errors.Is(err, capped.ErrNoCgroup) {
		t.Skip(err)
	}
	dir := t.TempDir()
	rows, err := generate.New(4000, 16, vectors.Uint8, 1)
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "rows.u8bin")
	if err := rows.Write(t.Context(), data); err != nil {
		t.Fatal(err)
	}
	built = true
	knng, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return &Config{Data: data, Knng: knng, Flags: []string{"-k", "5"}, Cap: 512 << 20, Repeats: 1, Warm: true,
		Out: filepath.Join(dir, "out"), Scratch: dir}
}

// Both sides build one graph; runs that were kept are told again and not run.
func TestSides(t *testing.T) {
	c := setup(t)
	var runs []Run
	c.Done = func(r Run) { runs = append(runs, r) }
	if err := c.Sides(t.Context()); err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	PrintSides(&table, runs)
	if len(runs) != 2 || runs[0].Cap == 0 || runs[1].Cap != 0 || !strings.HasSuffix(table.String(), "one graph\n") {
		t.Fatalf("%d runs: %s", len(runs), table.String())
	}
	for _, r := range runs {
		if r.Recall == nil || r.Recall.Recall < 0.9 || r.checksum() == "" || r.Outcome.PeakAnon == 0 || len(r.Outcome.Phases) < 5 {
			t.Errorf("run %+v, outcome %+v", r, r.Outcome)
		}
	}
	c.Knng = "/nowhere/knng"
	before := runs
	runs = nil
	if err := c.Sides(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(runs) != 2 || runs[0].Date != before[0].Date || runs[1].checksum() != before[1].checksum() {
		t.Errorf("kept %+v, want %+v", runs, before)
	}
}

// A curve is drawn, and a last line that was cut off is run again.
func TestCurve(t *testing.T) {
	c := setup(t)
	var runs []Run
	c.Done = func(r Run) { runs = append(runs, r) }
	counts := []int{1000, 4000}
	if err := c.Curve(t.Context(), counts); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(c.Out, "runs.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)-10], 0o600); err != nil {
		t.Fatal(err)
	}
	runs = nil
	if err := c.Curve(t.Context(), counts); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(path); err != nil || bytes.Count(again, []byte("\n")) != 2 || runs[0].Rows != 1000 || runs[1].Rows != 4000 {
		t.Errorf("%d runs, error %v: %s", len(runs), err, again)
	}
	if err := Draw(filepath.Join(c.Out, "curve"), runs); err != nil {
		t.Fatal(err)
	}
	if svg, err := os.ReadFile(filepath.Join(c.Out, "curve.svg")); err != nil || !bytes.Contains(svg, []byte("</svg>")) {
		t.Errorf("no picture: %v", err)
	}
	if err := c.Curve(t.Context(), []int{4001}); err == nil {
		t.Error("more rows than the file has: no error")
	}
}

func TestInterrupted(t *testing.T) {
	c := setup(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := c.Sides(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(c.Out, "runs.jsonl")); err == nil {
		t.Error("an interrupted run was kept")
	}
}
