package plot

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestSave: both files are there and name what they show, with odd data too.
func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "figure")
	panels := []Panel{
		{Title: "one", X: "time", Y: "accuracy", LogX: true, MaxY: 1, Lines: []Line{{Name: "kd-trees", Points: []XY{{1, 0.5}, {10, 0.9}, {0, 1}}, Dots: []XY{{3, 0.2}}}}},
		{Title: "empty", LogX: true, LogY: true},
		{Title: "a point", Lines: []Line{{Name: "lonely", Style: 30, Points: []XY{{2, 2}}, Dashed: true}}},
	}
	if err := Save(path, panels); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(path + ".svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"kd-trees", "lonely", "accuracy"} {
		if !bytes.Contains(svg, []byte(text)) {
			t.Errorf("the figure does not say %q", text)
		}
	}
	png, err := os.ReadFile(path + ".png")
	if err != nil || !bytes.HasPrefix(png, []byte("\x89PNG")) {
		t.Errorf("no PNG: %v", err)
	}
}
