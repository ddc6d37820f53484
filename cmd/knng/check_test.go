package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFaultsNameNoPackages: check says of a store with a table of another one that it is damaged, in words of
// the command, as text and as JSON.
func TestFaultsNameNoPackages(t *testing.T) {
	dir := t.TempDir()
	var tables []string
	for _, name := range []string{"a", "b"} {
		rows, graph := filepath.Join(dir, name+".npy"), filepath.Join(dir, name)
		if err := writeSome(rows, 300+len(tables), 3, ""); err != nil {
			t.Fatal(err)
		}
		if code := run([]string{"build", rows, "-o", graph, "-k", "4", "--quiet"}, nil, io.Discard, io.Discard); code != exitDone {
			t.Fatalf("build: exit code %d", code)
		}
		found, err := filepath.Glob(filepath.Join(graph, "graph", "*.sst"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%q, %v", found, err)
		}
		tables = append(tables, found[len(found)-1])
	}
	other, err := os.ReadFile(tables[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tables[0], other, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{{"check"}, {"check", "--json"}} {
		var out bytes.Buffer
		if code := run(append(flags, filepath.Join(dir, "a")), nil, &out, io.Discard); code != exitFailed {
			t.Errorf("%q: exit code %d", flags, code)
		}
		if len(flags) > 1 {
			var report struct{ Faults []string }
			if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Faults) == 0 {
				t.Errorf("%s: %v", &out, err)
			}
		}
		if text := out.String(); !strings.Contains(text, "graph") || strings.Contains(text, "store: ") || strings.Contains(text, "search: ") {
			t.Errorf("%q: %s", flags, text)
		}
	}
}
