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

// TestFaultsStandOnce: a damaged table is one fault, though opening the store fails by it again.
func TestFaultsStandOnce(t *testing.T) {
	dir := t.TempDir()
	rows, graph := filepath.Join(dir, "x.npy"), filepath.Join(dir, "g")
	if err := writeSome(rows, 300, 3, ""); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"build", rows, "-o", graph, "-k", "4", "--quiet"}, nil, io.Discard, io.Discard); code != exitDone {
		t.Fatalf("build: exit code %d", code)
	}
	tables, _ := filepath.Glob(filepath.Join(graph, "graph", "*.sst"))
	data, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(tables[0], data, 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := run([]string{"check", graph}, nil, &out, io.Discard); code != exitFailed || strings.Count(out.String(), "SHA-256") != 1 {
		t.Errorf("exit code %d: %s", code, &out)
	}
}
