package shards

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// TestOthers: other runs in a folder are told apart by the cause of their difference, whatever the
// folder is called.
func TestOthers(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "runs [a-c] *")
	begin := func(c Cut, change func(*runSpec)) string {
		t.Helper()
		s := runSpec{Manifest: store.Manifest{Rows: 1000, Dim: 4, Type: "uint8", Metric: "euclidean", K: 10, Vectors: "copy",
			Options: []store.Option{{Name: "k", Value: "10"}}, Files: []vectors.File{{Path: "a"}, {Path: "b"}}}, Metric: "euclidean", Recall: 0.95}
		change(&s)
		if err := s.cut(c); err != nil {
			t.Fatal(err)
		}
		run, err := s.record(folder)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	cut := Cut{Version: "1"}
	this := begin(cut, func(*runSpec) {})
	want := map[string]string{
		begin(Cut{Version: "2"}, func(*runSpec) {}):                                 "begun by version 2",
		begin(cut, func(s *runSpec) { s.Recall = 0.9 }):                             "of other options",
		begin(cut, func(s *runSpec) { s.Manifest.Dim = 5 }):                         "rows of another kind",
		begin(cut, func(s *runSpec) { s.Manifest.Files[1].Path = "c" }):             "of another input",
		begin(cut, func(s *runSpec) { s.Manifest.Files = s.Manifest.Files[:1] }):    "of another input",
		begin(cut, func(s *runSpec) { s.Manifest.Rows = 1700 }):                     "as they were before they changed",
		begin(cut, func(s *runSpec) { s.Manifest.Files[0].Size++ }):                 "as they were before they changed",
		begin(cut, func(s *runSpec) { s.Manifest.Offsets = []float64{1, 2, 3, 4} }): "as they were before they changed",
		begin(Cut{Version: "1", Rows: 10}, func(*runSpec) {}):                       "cut into other tasks",
		begin(cut, func(s *runSpec) {
			s.Scale = -80
			s.Manifest.Options = append(s.Manifest.Options, store.Option{Name: store.ScaleOption, Value: "-80"})
		}): "as they were before they changed",
	}
	lines := Others(folder, this)
	if len(lines) != len(want) {
		t.Errorf("%d other runs, want %d: %q", len(lines), len(want), lines)
	}
	for run, cause := range want {
		found := false
		for _, line := range lines {
			found = found || strings.Contains(line, filepath.Base(run)) && strings.Contains(line, cause)
		}
		if !found {
			t.Errorf("%s: no line says %q: %q", run, cause, lines)
		}
	}
}
