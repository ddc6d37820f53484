package main

import (
	"slices"
	"strings"
	"testing"
)

// TestEachLine: marks of editors are no part of a line, and a line that is too long is told by its number.
func TestEachLine(t *testing.T) {
	var lines []string
	add := func(line string) error {
		lines = append(lines, line)
		return nil
	}
	if err := eachLine(strings.NewReader("\ufeffa\r\n\ufeffb\nc"), "ids", add); err != nil || !slices.Equal(lines, []string{"a", "\ufeffb", "c"}) {
		t.Errorf("%q, %v", lines, err)
	}
	err := eachLine(strings.NewReader("a\n"+strings.Repeat("x", maxLine+1)), "ids", add)
	if err == nil || err.Error() != "ids: line 2 is longer than 1048576 bytes" {
		t.Errorf("a long line: %v", err)
	}
}
