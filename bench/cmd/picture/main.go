// Picture draws how a build works, from rows to a sealed store, as SVG:
//
//	go run ./bench/cmd/picture > bench/results/figures/how.svg
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
)

type point struct{ x, y float64 }

// side is the width of a panel's square, gap the space between two.
const side, gap, top = 190.0, 30.0, 40.0

func main() {
	log.SetFlags(0)
	out := bufio.NewWriter(os.Stdout)
	draw(out)
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

// draw writes four panels of the same points: rows, balls, joins, the graph.
func draw(w io.Writer) {
	points := clusters()
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f 270" font-family="sans-serif" font-size="13">`+"\n", 4*side+5*gap)
	fmt.Fprintln(w, `<rect width="100%" height="100%" fill="white"/>`)
	panels := []struct {
		title, below string
		draw         func(io.Writer, []point)
	}{
		{"1 order", "near rows lie near on disk", order}, {"2 divide", "compare all pairs of a ball", balls},
		{"3 join", "compare a row's neighbors", join}, {"4 seal", "each list, measured", lists},
	}
	for i, p := range panels {
		fmt.Fprintf(w, `<g transform="translate(%.0f %.0f)"><text x="0" y="-12" font-weight="bold">%s</text>`+"\n", gap+float64(i)*(side+gap), top, p.title)
		p.draw(w, points)
		for _, at := range points {
			fmt.Fprintf(w, `<circle cx="%.1f" cy="%.1f" r="2.5"/>`, at.x, at.y)
		}
		fmt.Fprintf(w, `<text x="0" y="%.0f" fill="#444">%s</text></g>`+"\n", side+22, p.below)
	}
	fmt.Fprintln(w, `</svg>`)
}

// clusters returns points around six centers, the same each time.
func clusters() (points []point) {
	random := rand.New(rand.NewPCG(1, 7))
	for range 6 {
		center := point{25 + random.Float64()*(side-50), 25 + random.Float64()*(side-50)}
		for range 10 {
			at := point{center.x + 14*random.NormFloat64(), center.y + 14*random.NormFloat64()}
			points = append(points, point{min(max(at.x, 4), side-4), min(max(at.y, 4), side-4)})
		}
	}
	return points
}

func line(w io.Writer, a, b point, style string) {
	fmt.Fprintf(w, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>`, a.x, a.y, b.x, b.y, style)
}

// order draws the sequence of rows on disk.
func order(w io.Writer, points []point) {
	for i := range points[1:] {
		line(w, points[i], points[i+1], `stroke="#0072b2" stroke-opacity=".5"`)
	}
}

// balls draws a ball around every tenth point that holds its 16 nearest.
func balls(w io.Writer, points []point) {
	for i := 0; i < len(points); i += 10 {
		near := nearest(points, i, 16)
		fmt.Fprintf(w, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="#0072b2" fill-opacity=".12" stroke="#0072b2"/>`,
			points[i].x, points[i].y, distance(points[i], points[near[15]]))
	}
}

// join draws the neighbors of a few rows, and the pairs of these neighbors.
func join(w io.Writer, points []point) {
	for i := 4; i < len(points); i += 10 {
		near := nearest(points, i, 4)
		for a, from := range near {
			line(w, points[i], points[from], `stroke="#0072b2"`)
			for _, to := range near[:a] {
				line(w, points[from], points[to], `stroke="#d55e00" stroke-dasharray="3 2"`)
			}
		}
	}
}

// lists draws the three nearest of every point.
func lists(w io.Writer, points []point) {
	for i := range points {
		for _, to := range nearest(points, i, 3) {
			line(w, points[i], points[to], `stroke="#0072b2" stroke-opacity=".7"`)
		}
	}
}

func distance(a, b point) float64 { return math.Hypot(a.x-b.x, a.y-b.y) }

// nearest returns the k points nearest to point i, nearest first.
func nearest(points []point, i, k int) (near []int) {
	for j := range points {
		if j == i {
			continue
		}
		at := len(near)
		for at > 0 && distance(points[i], points[near[at-1]]) > distance(points[i], points[j]) {
			at--
		}
		near = append(near[:at], append([]int{j}, near[at:]...)...)
		near = near[:min(len(near), k)]
	}
	return near
}
