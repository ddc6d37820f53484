package peers

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/knng/knng/bench/generate"
	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
)

// setup is a runner over a few rows, whose knng is not there: all runs fail, which
// is an outcome.
func setup(t *testing.T) *Runner {
	t.Helper()
	rows, err := generate.New(300, 16, vectors.Uint8, 1)
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "rows.u8bin")
	if err := rows.Write(t.Context(), data); err != nil {
		t.Fatal(err)
	}
	log, err := OpenLog(filepath.Join(filepath.Dir(data), "runs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	c := &Config{Knng: "/nowhere/knng", Scratch: t.TempDir(), Log: log}
	r, err := c.On(Set{Name: "rows", Path: data})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// What was run is not run again, what there is no time for is said to be left.
func TestDo(t *testing.T) {
	r := setup(t)
	ran := 0
	r.Done = func(Point) { ran++ }
	settings := OurGrid()[:2]
	tasks := []Task{r.Task(settings[0], 5, 1, 0), r.Task(settings[1], 5, 1, 0)}
	if err := r.Do(t.Context(), tasks[:1]); err != nil || ran != 1 {
		t.Fatalf("%d runs, error %v", ran, err)
	}
	r.Until = time.Now().Add(-time.Second)
	if err := r.Do(t.Context(), tasks); !errors.Is(err, ErrBudget) || ran != 1 {
		t.Fatalf("after the end: %d runs, error %v", ran, err)
	}
	r.Until = time.Time{}
	if err := r.Do(t.Context(), tasks); err != nil || ran != 2 {
		t.Fatalf("%d runs, error %v", ran, err)
	}
	if points := r.Points(5, 1); len(points) != 2 || points[0].Error == "" || points[0].Machine.Cores == 0 {
		t.Errorf("kept %+v", points)
	}
	again := r.Task(settings[0], 5, 1, 1)
	r.Until = time.Now().Add(time.Minute)
	long := Point{Task: tasks[0], TookSeconds: 3600}
	if err := r.Log.Add(long); err != nil {
		t.Fatal(err)
	}
	if r.time(again) {
		t.Error("an hour's run begins a minute before the end")
	}
}

// A build's numbers are read from its JSON, lists' from before they are written.
func TestRead(t *testing.T) {
	var p Point
	err := p.read([]byte("{\n \"phases\": [{\"name\": \"audit\", \"seconds\": 1}, {\"name\": \"recall\", \"seconds\": 5}],\n \"comparisons\": 7, \"control_comparisons\": 1, \"cpu_seconds\": 9}\n"))
	if err != nil || p.MemorySeconds != 1 || p.CPUSeconds != 9 || p.Rate() != 8 {
		t.Errorf("%+v, error %v", p, err)
	}
}

func TestInterleave(t *testing.T) {
	side := func(peer string, n int) (all []Setting) {
		for i := range n {
			all = append(all, Setting{peer, map[string]any{"x": i}})
		}
		return all
	}
	var got []string
	for _, s := range Interleave([][]Setting{side("a", 1), side("b", 3), side("c", 2)}) {
		got = append(got, s.Peer)
	}
	if want := []string{"a", "b", "c", "b", "c", "b"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Settings near the front of the peers are repeated, ours always, failures never.
func TestDecides(t *testing.T) {
	r := setup(t)
	add := func(peer string, recall, seconds float64, failure string) Task {
		task := r.Task(Setting{peer, map[string]any{"recall": recall}}, 5, 1, 0)
		p := Point{Task: task, Recall: builder.RecallEstimate{Recall: recall}, MemorySeconds: seconds, Error: failure}
		if err := r.Log.Add(p); err != nil {
			t.Fatal(err)
		}
		return task
	}
	tests := []struct {
		task Task
		want bool
	}{
		{add("a", 0.9, 10, ""), true},
		{add("b", 0.9, 14, ""), true},
		{add("a", 0.99, 40, ""), true},
		{add("c", 0.9, 16, ""), false},
		{add("c", 0.95, 1, "failed"), false},
		{add(Ours, 0.5, 100, ""), true},
	}
	for _, test := range tests {
		if got := r.decides(test.task); got != test.want {
			t.Errorf("%s at %v: %v, want %v", test.task.Peer, test.task.Parameters, got, test.want)
		}
	}
}
