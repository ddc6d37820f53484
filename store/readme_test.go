package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadme compiles the embedding example of the README and runs it twice: the second
// time the store is there.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "README.md"))
	must(t, err)
	_, rest, ok := strings.Cut(string(text), "```go\n")
	code, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("the README has no Go example")
	}
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	must(t, os.WriteFile(source, []byte(code), 0o666))
	build := exec.Command("go", "build", "-o", program, source)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for range 2 {
		run := exec.Command(program)
		run.Dir = dir
		out, err := run.CombinedOutput()
		if want := "16 1\n18 1\n"; err != nil || string(out) != want {
			t.Errorf("it prints %q, %v, want %q", out, err, want)
		}
	}
}
