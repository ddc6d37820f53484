package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityNamesTests: every test that SECURITY.md names is there.
func TestSecurityNamesTests(t *testing.T) {
	text, err := os.ReadFile("../../.github/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`(Test[A-Za-z]+)`").FindAllStringSubmatch(string(text), -1) {
		named[m[1]] = false
	}
	function := regexp.MustCompile(`(?m)^func (Test[A-Za-z]+)\(`)
	err = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		for _, m := range function.FindAllSubmatch(code, -1) {
			if _, asked := named[string(m[1])]; asked {
				named[string(m[1])] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(named) < 10 {
		t.Errorf("SECURITY.md names %d tests", len(named))
	}
	for name, there := range named {
		if !there {
			t.Errorf("SECURITY.md names %s, which no package has", name)
		}
	}
}
