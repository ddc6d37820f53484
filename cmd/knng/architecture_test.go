package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/knng/knng"

// levels say which rooms a room may enter: those at its level or below. Tests
// may go anywhere.
var levels = map[string]int{
	"vectors/internal/simd": 0, "vectors": 0, "vectors/aside": 0, "vectors/distance": 0, "vectors/codes": 0, "vectors/products": 0,
	"store/fence": 0, "cache": 1, "store": 1, "store/export": 1, "store/analysis": 1, "store/analysis/affinity": 1,
	"store/gonumgraph": 1,
	"builder/lot":      0, "builder/internal/rowstest": 0, "builder/plan": 0, "builder/pages": 0, "builder/progress": 0, "builder/screen": 1, "builder/parts": 2, "builder/candidates": 1, "builder/division": 1, "builder/leaf": 2,
	"builder/axes": 2, "builder/union": 2, "builder/propagation": 2, "builder/recall": 2, "builder": 2,
	"builder/refine/rankorder": 2, "builder/refine": 3,
	"bench": 3, "bench/judge": 3, "bench/ablation": 3, "bench/kill": 3, "bench/peers": 3, "bench/lookup": 3, "bench/duplicates": 3, "bench/capped": 3, "bench/generate": 3, "bench/larger": 3, "bench/front": 3, "bench/runlog": 3, "bench/binary": 3, "bench/speed": 3, "bench/targets": 3, "bench/fit": 3, "bench/plot": 3,
	"bench/paper": 3, "bench/theory": 3, "bench/baseline": 3, "bench/baseline/axis": 3, "bench/baseline/brute": 3,
	"bench/baseline/chenfs09": 3, "bench/baseline/kdtrees": 3, "bench/baseline/knng": 3, "bench/baseline/nndescent": 3,
	"bench/baseline/uno": 3, "bench/baseline/virmajoki": 3,
	"bench/cmd/ablation": 4, "bench/cmd/kill": 4, "bench/cmd/lookup": 4, "bench/cmd/duplicates": 4, "bench/cmd/generate": 4, "bench/cmd/larger": 4, "bench/cmd/paper": 4, "bench/cmd/peers": 4, "bench/cmd/speed": 4, "bench/cmd/targets": 4, "bench/cmd/fit": 4,
	"cmd/faces": 4, "cmd/knng": 4, "cmd/knng/internal/gofuncs": 3, "cmd/internal/interrupt": 3,
	"cmd/discover": 4, "cmd/discover/internal/render": 3, "cmd/discover/internal/keypoints": 3,
	"cmd/discover/internal/words": 3, "cmd/discover/internal/verify": 3,
}

// only says where a library may be used.
var only = map[string][]string{
	"github.com/cockroachdb/pebble": {"store", "store/fence", "cache"},
	"github.com/edsrzf/mmap-go":     {"vectors"},
	"github.com/spf13/cobra":        {"cmd/knng"},
	"gonum.org/v1/gonum":            {"store/gonumgraph", "bench/baseline/axis"},
	"gonum.org/v1/plot":             {"bench/plot", "cmd/faces"},
}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func TestImports(t *testing.T) {
	for _, line := range goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...") {
		fields := strings.Fields(line)
		room := strings.TrimPrefix(fields[0], module+"/")
		level, known := levels[room]
		if !known {
			t.Errorf("%s has no level: add it to the table", room)
		}
		for _, imported := range fields[1:] {
			if other, ours := strings.CutPrefix(imported, module+"/"); ours && levels[other] > level {
				t.Errorf("%s (level %d) imports %s (level %d)", room, level, other, levels[other])
			} else if ours && levels[other] == level && strings.HasPrefix(room, "builder/") && strings.HasPrefix(other, "builder/") {
				t.Errorf("%s imports %s: children of builder meet in plain types", room, other)
			}
			for library, rooms := range only {
				if strings.HasPrefix(imported, library) && !slices.Contains(rooms, room) {
					t.Errorf("%s imports %s, which is for %v", room, imported, rooms)
				}
			}
		}
	}
}

// TestEmbeddingIsLight: a program that embeds a graph does not pull in the
// command line or plotting.
func TestEmbeddingIsLight(t *testing.T) {
	for _, dep := range goList(t, "-deps", "./store/...", "./builder/...", "./vectors/...", "./cache/...") {
		if strings.HasPrefix(dep, "github.com/spf13/") || strings.HasPrefix(dep, "gonum.org/v1/plot") {
			t.Errorf("the library pulls in %s", dep)
		}
	}
}

func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"go.mod", "go.sum", "store", "vectors", "builder", "cache", "cmd", "bench", "testdata", "README.md", "LICENSE"}
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, ".") && !slices.Contains(allowed, name) {
			t.Errorf("%s stands at the top level", name)
		}
	}
	mod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(mod), "\nreplace") {
		t.Error("go.mod replaces a module")
	}
}
