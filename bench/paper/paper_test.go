package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/bench/plot"
	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
)

// TestGrid: every system has settings, under names of their own.
func TestGrid(t *testing.T) {
	for _, system := range Systems {
		for _, n := range []int{1000, 100_000, 1_000_000} {
			names := map[string]bool{}
			for _, s := range Grid(system, n, 50) {
				if names[s.Name] {
					t.Errorf("%s, %d rows: two settings %q", system, n, s.Name)
				}
				names[s.Name] = true
			}
			if len(names) == 0 && (system != Tiles || n <= allPairsRows) {
				t.Errorf("%s, %d rows: no settings", system, n)
			}
		}
	}
	if some := thin(Grid(Divisions, 1000, 1), 3); len(some) != 3 || some[0].Name != "M 1" {
		t.Errorf("thinned to %v", some)
	}
}

// small writes a vector file.
func small(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.fbin")
	w, err := vectors.Create(path, vectors.Float32, 8)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	row := make([]float32, 8)
	for range 800 {
		for i := range row {
			row[i] = rng.Float32()
		}
		if err := w.AppendFloat32(row, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestResume: what has been run is not run again, a line that was cut off is, and
// the page shows it all.
func TestResume(t *testing.T) {
	c := &Config{Files: []string{small(t)}, Out: t.TempDir(), Quick: true, Only: []string{KDTrees, Blocked, Naive, Virmajoki}, Say: t.Logf}
	log, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	count := len(log.Runs())
	path := filepath.Join(c.Out, "runs.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-20], 0o666); err != nil {
		t.Fatal(err)
	}
	told := 0
	c.Say = func(format string, _ ...any) {
		if strings.Contains(format, "recall") {
			told++
		}
	}
	if log, err = c.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if told != 1 || len(log.Runs()) != count {
		t.Errorf("%d runs the second time, %d in all; want 1 and %d", told, len(log.Runs()), count)
	}
	for _, r := range log.Runs() {
		if r.Error != "" || r.Seconds <= 0 || r.System == Blocked && r.Recall.Recall != 1 {
			t.Errorf("%+v", r)
		}
	}
	if err := c.Page(log); err != nil {
		t.Fatal(err)
	}
	has := func(name string, all ...string) {
		page, err := os.ReadFile(filepath.Join(c.Out, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range all {
			if !strings.Contains(string(page), want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
	has("paper.md", "figures/time-small-800.png", "figures/growth-small.png", "VirmajokiF04 takes n^1.58", "not results",
		"(paper-details.md#what-was-found)", "## Conditions")
	has("paper-details.md", "## What was found", "figures/comparisons-small-800.png", "## Brute force", "VirmajokiF04 takes n^1.58")
	if _, err := os.Stat(filepath.Join(c.Out, "figures", "time-small-800.svg")); err != nil {
		t.Error(err)
	}
}

// TestClaims: verdicts follow from runs made up to hold, and not to.
func TestClaims(t *testing.T) {
	at := func(system string, k int, recall, seconds float64) Run {
		return Run{Task: Task{Study: "accuracy", Data: "made up", Rows: 1000, Dim: 128, K: k, System: system, Setting: fmt.Sprint(system, recall)},
			Recall: builder.RecallEstimate{Recall: recall}, Seconds: seconds, Comparisons: 1}
	}
	runs := []Run{at(Divisions, 1, 0.9, 2), at(Propagation, 1, 0.9, 2), at(Glue, 1, 0.9, 7), at(KDTrees, 1, 0.95, 9),
		at(Propagation, 20, 0.8, 0.5), at(Propagation, 20, 0.95, 1), at(Naive, 20, 0, 95), at(Glue, 20, 0.8, 20), at(Glue, 20, 0.95, 30),
		at(KDTrees, 20, 0.6, 50), at(KDTrees, 20, 0.95, 60)}
	for _, k := range []int{1, 20} { // everything of the others was run
		for _, system := range Rivals {
			for _, setting := range Grid(system, 1000, k) {
				slow := at(system, k, 0.5, 100)
				slow.Setting = setting.Name
				runs = append(runs, slow)
			}
		}
	}
	want := map[string]Verdict{
		"At 90 % accuracy for 1-NN divisions alone":            Holds,
		"At 90 % accuracy for 1-NN divisions with propagation": Not,
		"95 % accuracy in about 1 % of brute force":            Holds,
		"The gain of propagation grows with k":                 Holds,
		"kd-trees do not lose":                                 Not,
		"The cost of divisions is at most linear":              Unknown,
	}
	claims := Claims(runs)
	for start, verdict := range want {
		met := false
		for _, c := range claims {
			if strings.HasPrefix(c.Text, start) {
				met = true
				if c.Verdict != verdict {
					t.Errorf("%+v, want %q", c, verdict)
				}
			}
		}
		if !met {
			t.Errorf("no claim %q", start)
		}
	}
}

// TestGain: what others take to a recall that they have not reached is more than they have
// taken, and what reaches more than the recall is a bound while cheaper settings wait.
func TestGain(t *testing.T) {
	run := func(system, setting string, k int, recall, seconds float64) Run {
		return Run{Task: Task{Study: "accuracy", Data: "made up", Rows: 1000, Dim: 128, K: k, System: system, Setting: setting},
			Recall: builder.RecallEstimate{Recall: recall}, Seconds: seconds, Comparisons: 1}
	}
	gainOf := func(runs ...Run) interval {
		gain, _ := views(append(runs, run(Propagation, "M 1", 20, 0.85, 0.5), run(Propagation, "M 2", 20, 0.9, 1)))[0].gain(Propagation, 20, 0.9)
		return gain
	}
	var all []Run // none of which gets there
	for _, system := range Rivals {
		for _, s := range Grid(system, 1000, 20) {
			all = append(all, run(system, s.Name, 20, 0.5, 3))
		}
	}
	late := slices.Clone(all)
	for i := range late {
		late[i].TimedOut, late[i].Seconds = true, 9
	}
	for _, c := range []struct {
		what string
		runs []Run
		want interval
	}{
		{"nothing of the others", nil, unknown},
		{"one of them, and not far enough", []Run{run(Glue, "alpha 0.02", 20, 0.5, 3)}, unknown},
		{"its dearest setting", []Run{run(Glue, "alpha 0.4", 20, 0.95, 30)}, interval{0, 30}},
		{"none gets there", all, interval{3, math.Inf(1)}},
		{"all were given up", late, interval{9, math.Inf(1)}},
	} {
		if got := gainOf(c.runs...); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
	reached := append(slices.Clone(all), run(Glue, "alpha 0.9", 20, 0.95, 30))
	if got := gainOf(reached...); got.lo != 3 || got.hi < 3 || got.hi > 30 {
		t.Errorf("between two settings of one: %v", got)
	}
}

// TestVerdicts: what is between bounds cannot be told.
func TestVerdicts(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		got, want Verdict
	}{
		{atLeast(3, 1, interval{3, 4}, interval{5, inf}), Holds}, {atLeast(3, 1, interval{2, 4}, interval{5, 5}), Unknown},
		{atLeast(3, 1, interval{0, inf}, interval{1, 2}), Not}, {atLeast(3, 1.5, interval{4, 4}), Unknown}, {atLeast(3, 1.5, interval{2.5, 2.5}), Unknown},
		{ascend(1, interval{1, 2}, interval{2, inf}), Holds}, {ascend(1, interval{1, 2}, interval{1.5, 3}), Unknown},
		{ascend(1, interval{3, inf}, interval{1, 2}), Not}, {ascend(2, interval{3, 3}, interval{2, 2}), Unknown},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestStyles: no two systems look alike, and something is left for what is none.
func TestStyles(t *testing.T) {
	if plot.Styles <= len(Systems) {
		t.Errorf("%d styles for %d systems", plot.Styles, len(Systems))
	}
}

func TestFits(t *testing.T) {
	var power []xy
	for x := 1.0; x < 100; x *= 2 {
		power = append(power, xy{x, 3 * math.Pow(x, 1.58)})
	}
	if e, ok := exponent(power); !ok || math.Abs(e-1.58) > 1e-9 {
		t.Errorf("exponent %v", e)
	}
	if _, ok := exponent(power[:1]); ok {
		t.Error("an exponent of one point")
	}
}
