package textlines_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/cmd/knng/internal/textlines"
)

// TestEach: marks of editors are no part of a line, and a line that is too long is told by its number.
func TestEach(t *testing.T) {
	var got []string
	add := func(line string) error {
		got = append(got, line)
		return nil
	}
	if err := textlines.Each(strings.NewReader("\ufeffa\r\n\ufeffb\nc"), "ids", add); err != nil || !slices.Equal(got, []string{"a", "\ufeffb", "c"}) {
		t.Errorf("%q, %v", got, err)
	}
	err := textlines.Each(strings.NewReader("a\n"+strings.Repeat("x", textlines.Max+1)), "ids", add)
	if err == nil || err.Error() != "ids: line 2 is longer than 1048576 bytes" {
		t.Errorf("a long line: %v", err)
	}
}
