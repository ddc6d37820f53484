package render

import (
	"bytes"
	"image"
	"testing"
)

// TestSame: a picture follows from the seed and its numbers, whatever was drawn
// before.
func TestSame(t *testing.T) {
	a, b := New(1, 2), New(1, 2)
	b.View(0, 3)
	b.Distracter(1)
	for _, c := range []struct {
		same   bool
		first  *image.RGBA
		second *image.RGBA
	}{
		{true, a.View(1, 0), b.View(1, 0)},
		{true, a.Distracter(0), b.Distracter(0)},
		{false, a.View(1, 0), b.View(1, 1)},
		{false, a.View(1, 0), b.View(0, 0)},
		{false, a.View(1, 0), New(2, 2).View(1, 0)},
	} {
		if bytes.Equal(c.first.Pix, c.second.Pix) != c.same {
			t.Errorf("equal pictures: %v, want %v", !c.same, c.same)
		}
		if c.first.Bounds() != image.Rect(0, 0, Width, Height) {
			t.Errorf("bounds %v", c.first.Bounds())
		}
	}
}

// TestSides: a can shows other parts of its label from another side, the same in
// the middle of both.
func TestSides(t *testing.T) {
	w := New(1, 1)
	front := &thing{texture: w.objects[0], round: true, halfW: 80, halfH: 80}
	turned := &thing{texture: w.objects[0], round: true, yaw: 0.5, halfW: 80, halfH: 80}
	// sin 0.25 to either side is the same place of the label.
	const u = 0.24740395925452294
	for _, v := range []float64{-0.9, 0, 0.4} {
		a, b := front.seen(u, v), turned.seen(-u, v)
		for i := range a {
			if d := a[i] - b[i]; d > 1e-3 || d < -1e-3 {
				t.Errorf("at %v: %v and %v", v, a, b)
			}
		}
	}
	if front.seen(0, 0) == turned.seen(0, 0) && front.seen(0, 0.5) == turned.seen(0, 0.5) && front.seen(0, -0.5) == turned.seen(0, -0.5) {
		t.Error("turning a can changes nothing")
	}
}
