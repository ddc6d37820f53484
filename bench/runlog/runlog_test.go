package runlog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/bench/runlog"
)

type run struct{ Task, Seconds int }

func (r run) task() int { return r.Task }

func open(t *testing.T, path string) *runlog.Log[int, run] {
	t.Helper()
	log, err := runlog.Open(path, run.task)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// latest is the runs that count: of a task the last, where its first stood.
func latest(runs []run) (kept []run) {
	for _, r := range runs {
		if i := slices.IndexFunc(kept, func(k run) bool { return k.Task == r.Task }); i >= 0 {
			kept[i] = r
		} else {
			kept = append(kept, r)
		}
	}
	return kept
}

// A log that is cut anywhere holds the runs whose lines are whole, and goes on.
func TestCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	log := open(t, path)
	all := []run{{1, 10}, {2, 20}, {1, 11}}
	for _, r := range all {
		if err := log.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if r, ok := log.Find(1); !ok || r.Seconds != 11 {
		t.Errorf("task 1: %v %v, want its last run", r, ok)
	}
	if r, ok := log.Find(3); ok {
		t.Errorf("task 3 was never run: %v", r)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(text) + 1 {
		if err := os.WriteFile(path, text[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		fresh := run{7, 70}
		want := latest(slices.Concat(all[:strings.Count(string(text[:cut]), "\n")], []run{fresh}))
		if err := open(t, path).Add(fresh); err != nil {
			t.Fatal(err)
		}
		if got := open(t, path).Runs(); !slices.Equal(got, want) {
			t.Errorf("cut to %d bytes, then a run added: %v, want %v", cut, got, want)
		}
	}
}

func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	if err := os.WriteFile(path, []byte("{\"Task\":1}\nno run\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := runlog.Open(path, run.task); err == nil || !strings.Contains(err.Error(), path+": run 2") {
		t.Errorf("error %v, want one that names the file and the run", err)
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "runlog")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for range 2 { // the second time, nothing is left to do
		log, err := runlog.Open(filepath.Join(dir, "runs.jsonl"), run.task)
		if err != nil {
			fmt.Println(err)
			return
		}
		if _, done := log.Find(7); !done {
			fmt.Println("running task 7")
			if err := log.Add(run{Task: 7, Seconds: 1}); err != nil {
				fmt.Println(err)
			}
		}
	}
	// Output: running task 7
}
