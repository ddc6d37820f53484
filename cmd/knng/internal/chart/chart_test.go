package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestSVG: the drawing is well-formed XML with a bar for each count, whatever the texts.
func TestSVG(t *testing.T) {
	var b strings.Builder
	charts := []Histogram{{Title: `a <b> & "c"`, Low: "0", High: "9", Counts: []int{1, 0, 5}, Unit: "rows"}, {Title: "none"}}
	if err := SVG(&b, "x < y\x00", charts); err != nil {
		t.Fatal(err)
	}
	bars, d := 0, xml.NewDecoder(strings.NewReader(b.String()))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, b.String())
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			bars++
		}
	}
	if bars != 3 {
		t.Errorf("%d bars, want 3", bars)
	}
}
