package render

import (
	"math"
	"math/rand/v2"
)

// color is red, green and blue, 0 to 1.
type color [3]float32

// texture is a flat picture: row-major.
type texture struct {
	w, h int
	pix  []color
}

// label is the texture of a can: three times as wide as high, for it goes all the
// way round.
func label(rng *rand.Rand) *texture { return shapes(rng, 510, 170, 360, 4, 22) }

// piece is a piece of clutter.
func piece(rng *rand.Rand) *texture { return shapes(rng, 72, 72, 26, 4, 16) }

// shapes strews random shapes in some colors over a texture.
func shapes(rng *rand.Rand, w, h, count int, smallest, largest float64) *texture {
	t := &texture{w, h, make([]color, w*h)}
	var palette [5]color
	for i := range palette {
		palette[i] = color{rng.Float32(), rng.Float32(), rng.Float32()}
	}
	for i := range t.pix {
		t.pix[i] = palette[0]
	}
	for range count {
		s := &shape{
			x: between(rng, 0, float64(w)), y: between(rng, 0, float64(h)),
			a: between(rng, smallest, largest), b: between(rng, smallest/2, largest/2),
			turn: between(rng, 0, math.Pi), kind: rng.IntN(3), color: palette[rng.IntN(len(palette))],
		}
		s.draw(t)
	}
	return t
}

// at returns the texture between its pixels, at u and v from 0 to 1. It is
// continued to the sides by its other end.
func (t *texture) at(u, v float64) (c color) {
	x, y := u*float64(t.w)-0.5, v*float64(t.h)-0.5
	x0, y0 := math.Floor(x), math.Floor(y)
	fx, fy := float32(x-x0), float32(y-y0)
	left, right := mod(int(x0), t.w), mod(int(x0)+1, t.w)
	top, bottom := min(max(int(y0), 0), t.h-1)*t.w, min(max(int(y0)+1, 0), t.h-1)*t.w
	for i := range c {
		above := t.pix[top+left][i]*(1-fx) + t.pix[top+right][i]*fx
		below := t.pix[bottom+left][i]*(1-fx) + t.pix[bottom+right][i]*fx
		c[i] = above*(1-fy) + below*fy
	}
	return c
}

func mod(a, n int) int { return (a%n + n) % n }

// shape is an ellipse, a rectangle or a triangle with half axes a and b.
type shape struct {
	x, y, a, b, turn float64
	kind             int
	color            color
}

func (s *shape) draw(t *texture) {
	cos, sin := math.Cos(s.turn), math.Sin(s.turn)
	r := int(s.a+s.b) + 1
	for dy := -r; dy <= r; dy++ {
		y := int(s.y) + dy
		if y < 0 || y >= t.h {
			continue
		}
		for dx := -r; dx <= r; dx++ {
			u, v := (cos*float64(dx)+sin*float64(dy))/s.a, (cos*float64(dy)-sin*float64(dx))/s.b
			if s.holds(u, v) {
				t.pix[y*t.w+mod(int(s.x)+dx, t.w)] = s.color
			}
		}
	}
}

func (s *shape) holds(u, v float64) bool {
	switch s.kind {
	case 0:
		return u*u+v*v <= 1
	case 1:
		return math.Abs(u) <= 1 && math.Abs(v) <= 1
	default:
		return v >= -1 && math.Abs(u) <= (1-v)/2
	}
}
