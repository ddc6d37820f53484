// Package verify tells whether the words that two pictures share lie in both in
// the same arrangement: Philbin, Chum, Isard, Sivic, Zisserman, "Object retrieval
// with large vocabularies and fast spatial matching", CVPR 2007, section 5.
// [Finder.Best] is the one function that programs need.
//
// A keypoint has a place, a scale and a direction, so a single match says how one
// picture would have to be moved, turned and scaled onto the other. RANSAC so needs
// no luck: every match is tried in turn. Of each, the matches that agree are
// counted; the best is fitted to those that agree with it, by least squares, as
// long as that gains any.
//
// Places are complex numbers, in which a similarity is z -> turn*z + shift.
package verify

import (
	"math"
	"math/cmplx"
)

// A Place is where a keypoint is and how it lies: its scale times e^(i angle).
type Place struct{ At, Frame complex128 }

// A Match is a keypoint of one picture and one of another that may be the same; A
// and B number the keypoints of each.
type Match struct {
	From, To Place
	A, B     uint32
}

// A Similarity maps z to Turn*z + Shift.
type Similarity struct{ Turn, Shift complex128 }

// Tolerances.
const (
	near   = 6. // pixels between pictures of equal scale
	zoom   = 2. // by which the scale of a match may differ
	facing = 0.7
)

// Finder holds buffers; it is one goroutine's.
type Finder struct {
	usedA, usedB []uint32 // the count at which a keypoint was last used
	count        uint32
	agree, best  []int
}

// Best finds the similarity with most inliers and returns their numbers, ascending.
// A keypoint counts once. Of equals the earlier match decides. inliers is valid
// until the next call.
func (f *Finder) Best(matches []Match) (s Similarity, inliers []int) {
	f.best = f.best[:0]
	for _, m := range matches {
		f.try(matches, m.similarity(), &s)
	}
	for len(f.best) >= 2 && f.try(matches, fit(matches, f.best), &s) {
	}
	return s, f.best
}

// similarity is that of a match alone.
func (m *Match) similarity() Similarity {
	turn := m.To.Frame / m.From.Frame
	return Similarity{turn, m.To.At - turn*m.From.At}
}

// try keeps a similarity that has more inliers than the best.
func (f *Finder) try(matches []Match, s Similarity, best *Similarity) bool {
	f.agree = f.agree[:0]
	f.count++
	limit := near * near * cmplx.Abs(s.Turn)
	for i := range matches {
		m := &matches[i]
		f.grow(m)
		if f.usedA[m.A] != f.count && f.usedB[m.B] != f.count && s.explains(m, limit) {
			f.usedA[m.A], f.usedB[m.B] = f.count, f.count
			f.agree = append(f.agree, i)
		}
	}
	if len(f.agree) <= len(f.best) {
		return false
	}
	f.agree, f.best, *best = f.best, f.agree, s
	return true
}

func (f *Finder) grow(m *Match) {
	for len(f.usedA) <= int(m.A) {
		f.usedA = append(f.usedA, 0)
	}
	for len(f.usedB) <= int(m.B) {
		f.usedB = append(f.usedB, 0)
	}
}

// explains reports whether a match lies, and is turned and scaled, as s says. limit
// is the largest squared distance.
func (s Similarity) explains(m *Match, limit float64) bool {
	d := s.Turn*m.From.At + s.Shift - m.To.At
	if real(d)*real(d)+imag(d)*imag(d) > limit {
		return false
	}
	q := m.To.Frame / (m.From.Frame * s.Turn)
	size := cmplx.Abs(q)
	return size < zoom && size > 1/zoom && real(q) > facing*size
}

// fit is the similarity of least squares over some matches.
func fit(matches []Match, some []int) Similarity {
	var from, to complex128
	n := complex(float64(len(some)), 0)
	for _, i := range some {
		from, to = from+matches[i].From.At/n, to+matches[i].To.At/n
	}
	var product complex128
	var square float64
	for _, i := range some {
		a, b := matches[i].From.At-from, matches[i].To.At-to
		product += cmplx.Conj(a) * b
		square += real(a)*real(a) + imag(a)*imag(a)
	}
	if square == 0 || product == 0 || math.IsNaN(square) {
		return Similarity{1, to - from}
	}
	turn := product / complex(square, 0)
	return Similarity{turn, to - turn*from}
}
