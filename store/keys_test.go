package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestBuildTagsAreTogether: a store that is sealed drops all keys from the first of the build's tags to the
// last, so no other tag may lie between them. tagNames has every tag, or a new one could be missed here.
func TestBuildTagsAreTogether(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "keys.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			for _, name := range v.Names {
				if strings.HasPrefix(name.Name, "tag") {
					declared++
				}
			}
		}
		return true
	})
	if declared != len(tagNames) {
		t.Errorf("keys.go declares %d tags, tagNames has %d", declared, len(tagNames))
	}
	if !slices.IsSorted(buildTags) {
		t.Errorf("%#x do not ascend", buildTags)
	}
	first, last := buildTags[0], buildTags[len(buildTags)-1]
	for tag, name := range tagNames {
		if within := first <= tag && tag <= last; within != slices.Contains(buildTags, tag) {
			t.Errorf("%#x, %s: dropped %v, of a build %v", tag, name, within, !within)
		}
	}
}
