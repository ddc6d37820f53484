// Package keypoints finds points in images that are found again in other views of
// the same thing, and describes their surroundings: Lowe, "Distinctive image
// features from scale-invariant keypoints", IJCV 60 (2004). [Find] is the one
// function that programs need.
//
// Points are extrema, over place and scale, of differences between an image
// blurred more and less (section 3); weak ones and those along edges are dropped
// (section 4). Each has the direction of the gradients around it (section 5) and
// 128 bytes that describe them relative to its place, scale and direction
// (section 6).
//
// It departs from the paper in two things. The image is not doubled first, which
// would find more, smaller points. The place of an extremum is refined along each
// axis by itself, a parabola through three values, in place of the 3 x 3 system.
package keypoints

import (
	"cmp"
	"math"
	"slices"
)

// Dim is the length of a descriptor.
const Dim = 128

// A Point is a keypoint.
type Point struct {
	X, Y     float32 // pixels, from the center of the top left one
	Scale    float32 // sigma of the blur that it was found at, in pixels
	Angle    float32 // of the gradients around it, radians, x towards y
	Response float32 // how strong the extremum is
}

// A Set is the keypoints of an image.
type Set struct {
	Points      []Point
	Descriptors []byte // Dim bytes a point
}

// Find returns the strongest keypoints of an image, at most so many as most,
// strongest first.
func Find(g *Gray, most int) *Set {
	var found []located
	scale := float32(1)
	base := g.blurred(math.Sqrt(sigma0*sigma0 - assumed*assumed))
	for min(base.W, base.H) >= smallest {
		o := newOctave(base)
		for _, e := range o.extrema() {
			for _, angle := range o.angles(e) {
				found = append(found, located{o, e, angle, scale})
			}
		}
		base, scale = o.blurs[levels].half(), 2*scale
	}
	slices.SortStableFunc(found, func(a, b located) int { return cmp.Compare(b.response, a.response) })
	s := new(Set)
	for _, f := range found[:min(most, len(found))] {
		s.Points = append(s.Points, Point{f.x * f.scale, f.y * f.scale, f.sigma() * f.scale, f.angle, f.response})
		s.Descriptors = f.octave.describe(s.Descriptors, f.extremum, f.angle)
	}
	return s
}

// located is an extremum with its direction, and how many pixels of the image one
// of its octave is.
type located struct {
	octave *octave
	extremum
	angle, scale float32
}
