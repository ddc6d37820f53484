package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// TestParquet: a Parquet file is built with its column of ids, some of its rows too, and
// a graph is written as one.
func TestParquet(t *testing.T) {
	file := filepath.Join("internal", "parquet", "testdata", "list-float.parquet")
	knng := func(args ...string) (string, string, int) {
		var out, err bytes.Buffer
		code := run(append(args, "--progress", "none"), strings.NewReader(""), &out, &err)
		return out.String(), err.String(), code
	}
	for _, limit := range []string{"0", "5"} {
		dir := filepath.Join(t.TempDir(), "g.knng")
		if _, err, code := knng("build", file, "-o", dir, "-k", "2", "--id-column", "name", "--column", "vec", "--limit-rows", limit, "--quiet"); code != 0 {
			t.Fatalf("build: %d %s", code, err)
		}
		if out, _, _ := knng("neighbors", dir, "--id", "id-0"); !strings.Contains(out, "id-1") || !strings.Contains(out, "id-2") {
			t.Errorf("neighbors of id-0: %s", out)
		}
		table := filepath.Join(t.TempDir(), "graph.parquet")
		for _, want := range []int{0, exitUsage} { // the second time it exists
			if _, err, code := knng("export", dir, "-o", table); code != want {
				t.Errorf("export: %d %s", code, err)
			}
		}
	}
	for flags, want := range map[string]string{
		"--column name": "want a list of numbers", "--column x": `no column "x"`,
		"--column vec --id-column x": `no column "x"`, "--column vec --id-column vec": "want strings or integers",
	} {
		args := append([]string{"build", file, "-o", filepath.Join(t.TempDir(), "g.knng"), "--quiet"}, strings.Fields(flags)...)
		if _, err, code := knng(args...); code != exitUsage || !strings.Contains(err, want) {
			t.Errorf("%s: exit code %d, %s", flags, code, err)
		}
	}
}
