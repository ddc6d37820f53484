package main

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/bench/house"
)

const module = "github.com/knng/knng"

// layer is the floor of a package: it imports packages of its own floor and of
// those below. Test files may import anything.
func layer(pkg string) int {
	top, _, _ := strings.Cut(pkg, "/")
	return map[string]int{"vectors": 0, "store": 1, "cache": 1, "builder": 2, "bench": 3, "cmd": 3, ".ci": 3}[top]
}

// methods returns the packages that each hold one way to build a graph: builder/methods.go names
// them. They never import one another.
func methods(t *testing.T) (list []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "builder", "methods.go"), nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range file.Imports {
		pkg := strings.TrimPrefix(strings.Trim(spec.Path.Value, `"`), module+"/")
		if strings.HasPrefix(pkg, "builder/internal/") && !slices.Contains(shared, pkg) {
			list = append(list, pkg)
		}
	}
	if len(list) < 4 {
		t.Fatalf("builder/methods.go names the methods %v only", list)
	}
	return list
}

// shared are the packages that builder/methods.go imports besides methods.
var shared = []string{"builder/internal/build", "builder/internal/candidates", "builder/internal/job", "builder/internal/points"}

// mayImport reports whether the package from may import the package to, and if
// not, which rule forbids it.
func mayImport(methods []string, from, to string) (rule string, ok bool) {
	switch {
	case layer(to) > layer(from):
		return "vectors lies below store and cache, these below builder, all of them below bench and cmd", false
	case strings.HasPrefix(to, "bench/cmd/"):
		return "a command is not imported", false
	case slices.Contains(methods, from) && slices.Contains(methods, to):
		return "methods share packages below them and never import one another", false
	case slices.Contains(methods, to) && layer(from) == 2 && from != "builder":
		return "in builder only the front door imports methods", false
	case to == "builder/shards" && layer(from) == 2:
		return "builds on one machine know nothing of many", false
	case to == "builder" && strings.HasPrefix(from, "builder/internal/"):
		return "the rooms of builder do not import the front door", false
	case (to == "store" || strings.HasPrefix(to, "store/")) && from == "builder/internal/points":
		return "points imports no store", false
	case strings.HasPrefix(to, "builder/") && to != "builder/internal/offheap" && from == "builder/knn":
		return "lists are below all that makes them", false
	case from == "builder/internal/fixed":
		return "constants import nothing of the module", false
	case strings.HasPrefix(to, "builder/internal/") && from == "builder/internal/limits":
		return "limits is below all rooms of builder", false
	case strings.HasPrefix(to, "vectors/codes") && from == "builder/internal/job":
		return "job imports no codes", false
	}
	return "", true
}

// only says where a library may be used.
var only = map[string][]string{
	"github.com/cockroachdb/pebble": {"store", "store/fence", "store/internal/pebblefs", "store/internal/written", "cache"},
	"github.com/edsrzf/mmap-go":     {"vectors"},
	"github.com/spf13/cobra":        {"cmd/knng"},
	"gonum.org/v1/gonum":            {"store/gonumgraph", "bench/baseline/axis"},
	"gonum.org/v1/plot":             {"bench/plot", "bench/applications/faces"},
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
	methods := methods(t)
	for _, line := range goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...") {
		fields := strings.Fields(line)
		from := strings.TrimPrefix(fields[0], module+"/")
		for _, imported := range fields[1:] {
			if to, ours := strings.CutPrefix(imported, module+"/"); ours {
				if rule, ok := mayImport(methods, from, to); !ok {
					t.Errorf("%s imports %s: %s", from, to, rule)
				}
			}
			for library, packages := range only {
				if strings.HasPrefix(imported, library) && !slices.Contains(packages, from) {
					t.Errorf("%s imports %s, which is for %v", from, imported, packages)
				}
			}
		}
	}
}

// promised are the packages of builder that other programs may import.
var promised = []string{"builder", "builder/knn", "builder/plan", "builder/postings", "builder/progress", "builder/rebuild",
	"builder/recall", "builder/refine", "builder/refine/rankorder", "builder/shards"}

// forBench are importable for bench alone.
var forBench = []string{"builder/division", "builder/leaf", "builder/screen"}

// TestPromised: what is not promised is internal.
func TestPromised(t *testing.T) {
	for _, pkg := range goList(t, "./builder/...") {
		pkg = strings.TrimPrefix(pkg, module+"/")
		if !strings.HasPrefix(pkg, "builder/internal/") && !slices.Contains(promised, pkg) && !slices.Contains(forBench, pkg) {
			t.Errorf("%s is importable: below builder/internal it promises nothing", pkg)
		}
	}
}

// mostMethods is the number of methods of a type from which a part of it is a thing of its own.
const mostMethods = 45

// TestTypesAreSmall: no type has more than mostMethods methods.
func TestTypesAreSmall(t *testing.T) {
	count := map[string]int{}
	for _, line := range goList(t, "-f", "{{.ImportPath}} {{.Dir}} {{join .GoFiles \" \"}}", "./builder/...", "./cache", "./cmd/...", "./store/...", "./vectors/...") {
		fields := strings.Fields(line)
		for _, name := range fields[2:] {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(fields[1], name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if of := house.Receiver(d); of != "" {
					count[strings.TrimPrefix(fields[0], module+"/")+"."+of]++
				}
			}
		}
	}
	for name, n := range count {
		if n > mostMethods {
			t.Errorf("%s has %d methods, more than %d", name, n, mostMethods)
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

// TestReaderIsLight: a program that only looks up neighbors links no database, and at most
// 30 packages outside the standard library and this module.
func TestReaderIsLight(t *testing.T) {
	foreign := 0
	for _, dep := range goList(t, "-deps", "./store/reader") {
		first, _, _ := strings.Cut(dep, "/")
		if !strings.Contains(first, ".") || strings.HasPrefix(dep, module) {
			continue
		}
		if foreign++; strings.HasPrefix(dep, "github.com/cockroachdb/") {
			t.Errorf("store/reader pulls in %s", dep)
		}
	}
	if foreign > 30 {
		t.Errorf("store/reader pulls in %d packages of others, at most 30 are meant", foreign)
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
