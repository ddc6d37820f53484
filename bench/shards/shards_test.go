package shards

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
)

// TestMakespan: never less than the longest task of every wave, nor than an equal share of all; never more than one
// worker takes, which is the sum; and of hand-made waves the time that they take by hand.
func TestMakespan(t *testing.T) {
	if got := Makespan([][]Task{{{"a", 3}, {"a", 2}, {"a", 2}}, {{"b", 1}}}, 2); got != 5 {
		t.Errorf("%g s, want 5", got)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		var waves [][]Task
		all, least := 0.0, 0.0
		for range 1 + rng.IntN(5) {
			var wave []Task
			longest := 0.0
			for range 1 + rng.IntN(20) {
				s := float64(rng.IntN(100)) / 8
				wave, all, longest = append(wave, Task{"x", s}), all+s, max(longest, s)
			}
			waves, least = append(waves, wave), least+longest
		}
		for workers := 1; workers < 8; workers++ {
			got := Makespan(waves, workers)
			if got < least || got < all/float64(workers)-1e-9 || got > all || workers == 1 && got != all {
				t.Errorf("%d workers: %g s of %g, the longest tasks %g", workers, got, all, least)
			}
		}
	}
}

// TestMeasure: every stage that is planned is done and the other way round, but for the few that cost nothing.
func TestMeasure(t *testing.T) {
	raw := []byte{0xd0, 7, 0, 0, 8, 0, 0, 0} // 2,000 rows of 8
	rng := rand.New(rand.NewPCG(2, 1))
	for range 2000 * 8 {
		raw = append(raw, byte(rng.Uint32()))
	}
	path := filepath.Join(t.TempDir(), "x.u8bin")
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	c := Config{Inputs: []string{path}, Opts: builder.Options{K: 5, Divisions: 8}, Dir: t.TempDir(), First: 1500}
	m, err := c.Do(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if m.Rows != 1500 {
		t.Errorf("%d rows", m.Rows)
	}
	if _, err := (&Config{Inputs: []string{path}, Opts: c.Opts, Dir: c.Dir, First: 2001}).Do(context.Background()); err == nil {
		t.Error("more rows than there are: no error")
	}
	_, tasks, _ := m.sums()
	planned := map[string]bool{}
	for _, s := range m.Plan.Stages {
		planned[s.Name] = true
		if tasks[s.Name] == 0 || s.CPUSeconds <= 0 {
			t.Errorf("stage %s is planned with %g s, and has %d tasks", s.Name, s.CPUSeconds, tasks[s.Name])
		}
	}
	for name := range tasks {
		if !planned[name] && !strings.Contains("settle sample fit draw cut decide resample complete seal", name) {
			t.Errorf("stage %s is not planned", name)
		}
	}
	if left, err := os.ReadDir(c.Dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	var out strings.Builder
	m.Write(&out, []int{1, 4})
	if !strings.Contains(out.String(), "| 4 |") || !strings.Contains(out.String(), "| solve |") {
		t.Error(out.String())
	}
}
