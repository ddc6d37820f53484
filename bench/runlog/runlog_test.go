package runlog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/bench/runlog"
)

type run struct {
	Task    string
	Seconds float64
}

func taskOf(r run) string { return r.Task }

// What was added is there again, but for a last line that was cut off.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	l, err := runlog.Open(path, taskOf)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []run{{"a", 1}, {"b", 2}, {"a", 3}, {"c", 4}} {
		if err := l.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)-3], 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err = runlog.Open(path, taskOf); err != nil {
		t.Fatal(err)
	}
	if got, want := l.All(), []run{{"a", 3}, {"b", 2}}; !slices.Equal(got, want) {
		t.Errorf("runs %v, want %v", got, want)
	}
	if _, ok := l.Find("c"); ok {
		t.Error("a run whose line was cut off is there")
	}
	if err := l.Add(run{"c", 5}); err != nil {
		t.Fatal(err)
	}
	if l, err = runlog.Open(path, taskOf); err != nil {
		t.Fatal(err)
	}
	if r, ok := l.Find("c"); !ok || r.Seconds != 5 {
		t.Errorf("found %v, %v", r, ok)
	}
}

// Damage in the middle is an error, never a run less.
func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	if err := os.WriteFile(path, []byte("{\"Task\":\"a\"}\n{\"Ta\n{\"Task\":\"b\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := runlog.Open(path, taskOf); err == nil {
		t.Error("no error")
	}
}

func Example() {
	l, err := runlog.Open("", taskOf) // "" keeps nothing on disk
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, done := l.Find("sort"); !done {
		err = l.Add(run{"sort", 0.5})
	}
	fmt.Println(l.All(), err)
	// Output: [{sort 0.5}] <nil>
}
