package house

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCount(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"builder/a.go":              "package builder\n\ntype Method string\n\nconst (\n\tA Method = \"a\"\n\tOther = 1\n)\n\ntype T struct{}\n\nfunc (T) Do() {}\nfunc (t *T) do() bool { return A == \"b\" }\n",
		"builder/a_test.go":         "package builder\n\nfunc Test() { _ = A == A }\n",
		"builder/internal/x/x.go":   "package x\n\nimport \"job\"\n\ntype Hidden[K any] struct{}\n\nfunc (*Hidden[K]) One() {\n\tswitch \"\" {\n\tcase job.AMethod:\n\t}\n}\n",
		"vectors/distance/m.go":     "package distance\n\ntype Metric int\n\nconst (\n\tL1 Metric = iota\n\tL2\n)\n",
		"vectors/distance/other.go": "package distance\n\nfunc f(A int) bool { return A == 1 || Metric(A) != L2 }\n",
		"cmd/c/main.go":             "package main\n\nfunc Run() {}\n",
		"store/testdata/broken.go":  "no Go\n",
		"cache/c.go":                "package cache\n\nimport \"distance\"\n\nvar V, w = distance.L1, 0\n",
	} {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Count(root)
	// Method, A, Other, T, Do; Metric, L1, L2; V.
	if want := (Counts{Largest: "builder.T", Methods: 2, RootLines: 13, Exported: 9, RootNames: 5, MethodFiles: 2, MetricFiles: 1}); err != nil || *got != want {
		t.Errorf("%+v, want %+v, %v", got, want, err)
	}
}
