// Package chart draws histograms as SVG, readable in light and dark, without a script.
package chart

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// A Histogram is one chart: bars of equal width from Low to High.
type Histogram struct {
	Title     string
	Low, High string // texts under the ends of the axis
	Counts    []int
	Unit      string // of a count, such as rows
}

// Sizes of a chart in user units.
const (
	width, height   = 560, 150
	margin, heading = 24, 46
	top             = 56 // for the title of all
)

const style = `
  svg { background: #fff; font: 14px system-ui, sans-serif; fill: #222 }
  .title { font-size: 18px; font-weight: 600 } .name { font-weight: 600 } .axis { font-size: 12px; fill: #666 }
  .bar { fill: #2f6fc4 }
  @media (prefers-color-scheme: dark) {
    svg { background: #16181c; fill: #eee } .axis { fill: #aaa } .bar { fill: #7fb0f5 }
  }
`

// SVG writes the charts one below the other under a title.
func SVG(w io.Writer, title string, charts []Histogram) error {
	var b strings.Builder
	tall := top + len(charts)*(heading+height+margin)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n<style>%s</style>\n",
		width+2*margin, tall, escaped(title), style)
	fmt.Fprintf(&b, `<text class="title" x="%d" y="34">%s</text>`+"\n", margin, escaped(title))
	for i, h := range charts {
		h.draw(&b, top+i*(heading+height+margin))
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// draw writes one chart whose upper border lies at y.
func (h *Histogram) draw(b *strings.Builder, y int) {
	most := 1
	for _, c := range h.Counts {
		most = max(most, c)
	}
	fmt.Fprintf(b, `<g><text class="name" x="%d" y="%d">%s</text>`, margin, y+16, escaped(h.Title))
	fmt.Fprintf(b, `<text class="axis" x="%d" y="%d" text-anchor="end">highest bar: %d %s</text>`, width+margin, y+16, most, escaped(h.Unit))
	step := float64(width) / float64(max(1, len(h.Counts)))
	for i, c := range h.Counts {
		tall := float64(c) / float64(most) * (height - 24)
		fmt.Fprintf(b, `<rect class="bar" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%d %s</title></rect>`,
			margin+float64(i)*step, float64(y+24+height-24)-tall, step*0.9, tall, c, escaped(h.Unit))
	}
	fmt.Fprintf(b, `<text class="axis" x="%d" y="%d">%s</text>`, margin, y+24+height-6, escaped(h.Low))
	fmt.Fprintf(b, `<text class="axis" x="%d" y="%d" text-anchor="end">%s</text></g>`+"\n", width+margin, y+24+height-6, escaped(h.High))
}

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
	return b.String()
}
