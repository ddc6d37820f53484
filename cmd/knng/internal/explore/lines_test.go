package explore

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/cmd/knng/internal/textlines"
)

// TestReadLines: marks of editors are no part of a line, and lines that are too long are told by their number.
func TestReadLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "labels")
	write(t, path, "\ufeffcat\r\ndog\r\n\r\ncat")
	if all, err := readLines(path, 4); err != nil || !slices.Equal(all, []string{"cat", "dog", "", "cat"}) {
		t.Errorf("%q, %v", all, err)
	}
	write(t, path, "cat\n"+strings.Repeat("x", textlines.Max+1))
	if _, err := readLines(path, 2); err == nil || !strings.Contains(err.Error(), "labels: line 2 is longer than 1048576 bytes") {
		t.Errorf("a long line: %v", err)
	}
}

// TestClasses: each label has a color while there are enough; else the most frequent ones do, and
// all others share one.
func TestClasses(t *testing.T) {
	of, names, rest := classes([]string{"b", "a", "", "b"}, 3)
	if !slices.Equal(of, []uint8{0, 1, 2, 0}) || !slices.Equal(names, []string{"b", "a", ""}) || rest != 0 {
		t.Errorf("three labels: %v %q and %d others", of, names, rest)
	}
	var labels []string
	for i := range 1000 { // label i stands i/100+1 times
		for range i/100 + 1 {
			labels = append(labels, fmt.Sprint(i))
		}
	}
	of, names, rest = classes(labels, maxClasses)
	if len(names) != maxClasses-1 || rest != 1000-len(names) || names[0] != "900" {
		t.Errorf("a thousand labels: %q and %d others", names, rest)
	}
	for row, c := range of {
		at := slices.Index(names, labels[row])
		if want := uint8(at); c != want { // -1 is 255
			t.Errorf("row %d of the label %s has the class %d, want %d", row, labels[row], c, want)
		}
	}
	for _, times := range []int{1, 2} { // titles, of which few or none stand twice
		labels = labels[:0]
		for i := range 5000 {
			labels = append(labels, fmt.Sprint("title ", i/times))
		}
		of, names, rest = classes(labels, maxClasses)
		if len(names)+rest != 0 || len(of) != len(labels) || slices.Max(of) != 0 {
			t.Errorf("titles: %q and %d others", names, rest)
		}
	}
	if of, names, rest := classes(nil, 3); len(of)+len(names)+rest != 0 {
		t.Errorf("no rows: %v %q %d", of, names, rest)
	}
}
