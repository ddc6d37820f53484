package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInfoOfEarlyBuild: of a build that was killed in its first second, when any of its files
// may be missing or half written, info says that it begins anew.
func TestInfoOfEarlyBuild(t *testing.T) {
	for _, name := range []string{"nothing", "a torn graph"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "graph.early"), []byte("2026-01-02T03:04:05Z"), 0o600); err != nil {
			t.Fatal(err)
		}
		if name == "a torn graph" {
			graph := filepath.Join(dir, "graph")
			if err := os.Mkdir(graph, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(graph, "MANIFEST-000001"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for json, want := range map[bool]string{false: "killed in its first second; give its build command again, which begins anew", true: `"begins_anew": true`} {
			var out strings.Builder
			if err := runInfo(t.Context(), &globals{stdout: &out, json: json}, dir, ""); err != nil || !strings.Contains(out.String(), want) {
				t.Errorf("%s: %v, %q, want %q", name, err, out.String(), want)
			}
		}
	}
}
