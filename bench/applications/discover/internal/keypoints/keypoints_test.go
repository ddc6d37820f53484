package keypoints

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// spots draws soft spots at random places turned by angle about the center: what a
// camera that turns would see, without any sampling of another picture.
func spots(seed uint64, angle, zoom float64) *Gray {
	const size = 160
	rng := rand.New(rand.NewPCG(seed, 1))
	g := newGray(size, size)
	cos, sin := math.Cos(angle)*zoom, math.Sin(angle)*zoom
	for range 60 {
		x, y := 100*rng.Float64()-50, 100*rng.Float64()-50
		r, depth := zoom*(2+4*rng.Float64()), rng.Float64()-0.5
		cx, cy := size/2+cos*x-sin*y, size/2+sin*x+cos*y
		for i := range g.Pix {
			dx, dy := float64(i%size)-cx, float64(i/size)-cy
			g.Pix[i] += float32(depth * math.Exp(-(dx*dx+dy*dy)/(2*r*r)))
		}
	}
	return g
}

// found counts the points of a that b has where the similarity takes them, and
// those whose nearest descriptor in b is that of such a point.
func found(a, b *Set, angle, zoom float64) (there, matched int) {
	const center = 80
	cos, sin := math.Cos(angle)*zoom, math.Sin(angle)*zoom
	for i, p := range a.Points {
		x, y := float64(p.X)-center, float64(p.Y)-center
		tx, ty := center+cos*x-sin*y, center+sin*x+cos*y
		close := func(q Point) bool {
			turn := math.Remainder(float64(q.Angle-p.Angle)-angle, 2*math.Pi)
			size := float64(q.Scale/p.Scale) / zoom
			return math.Hypot(float64(q.X)-tx, float64(q.Y)-ty) < 2 && math.Abs(turn) < 0.3 && size > 0.75 && size < 1.33
		}
		nearest, least, any := -1, math.MaxInt, false
		for j, q := range b.Points {
			any = any || close(q)
			d := 0
			for k := range Dim {
				e := int(a.Descriptors[i*Dim+k]) - int(b.Descriptors[j*Dim+k])
				d += e * e
			}
			if d < least {
				nearest, least = j, d
			}
		}
		if any {
			there++
			if close(b.Points[nearest]) {
				matched++
			}
		}
	}
	return there, matched
}

// TestTurnedAndZoomed: most points are found again at the place, scale and
// direction that the change of view says, and know each other by descriptor.
func TestTurnedAndZoomed(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	a := Find(spots(seed, 0, 1), 1000)
	if len(a.Points) < 20 {
		t.Fatalf("%d points", len(a.Points))
	}
	for _, c := range []struct{ angle, zoom float64 }{{0.5, 1}, {2.2, 1}, {-1.3, 1.25}} {
		b := Find(spots(seed, c.angle, c.zoom), 1000)
		there, matched := found(a, b, c.angle, c.zoom)
		t.Logf("turned by %v, zoomed by %v: %d of %d points there, %d matched", c.angle, c.zoom, there, len(a.Points), matched)
		if there*10 < len(a.Points)*5 || matched*10 < there*7 {
			t.Errorf("turned by %v, zoomed by %v: %d of %d points there, %d matched", c.angle, c.zoom, there, len(a.Points), matched)
		}
	}
}

// TestLight: brightness and contrast change no descriptor by more than rounding.
func TestLight(t *testing.T) {
	g := spots(3, 0, 1)
	a := Find(g, 20)
	for i := range g.Pix {
		g.Pix[i] = 0.2 + 1.5*g.Pix[i]
	}
	b := Find(g, 20)
	for i := range a.Points {
		if math.Abs(float64(a.Points[i].X-b.Points[i].X)) > 0.01 {
			t.Fatalf("point %d moved from %v to %v", i, a.Points[i], b.Points[i])
		}
	}
	for i := range a.Descriptors {
		if d := int(a.Descriptors[i]) - int(b.Descriptors[i]); d < -2 || d > 2 {
			t.Fatalf("descriptor byte %d: %d and %d", i, a.Descriptors[i], b.Descriptors[i])
		}
	}
}

func TestNothingToFind(t *testing.T) {
	for _, size := range []int{0, 1, 10, 40} {
		if s := Find(newGray(size, size), 10); len(s.Points) != 0 || len(s.Descriptors) != 0 {
			t.Errorf("%d points in an empty image", len(s.Points))
		}
	}
}

// TestOf: a picture is shrunk by the mean of squares, whatever its type.
func TestOf(t *testing.T) {
	gray, rgba := image.NewGray(image.Rect(3, 5, 11, 9)), image.NewRGBA(image.Rect(3, 5, 11, 9))
	for y := 5; y < 9; y++ {
		for x := 3; x < 11; x++ {
			c := color.Gray{Y: byte(16*x + y)}
			gray.Set(x, y, c)
			rgba.Set(x, y, c)
		}
	}
	for _, img := range []image.Image{gray, rgba} {
		g := Of(img, 4)
		if g.W != 4 || g.H != 2 {
			t.Fatalf("%d x %d, want 4 x 2", g.W, g.H)
		}
		if want := float32(16*3.5+5.5) / 255; math.Abs(float64(g.Pix[0]-want)) > 1e-5 {
			t.Errorf("%T: %v, want %v", img, g.Pix[0], want)
		}
	}
}

// TestThin: a picture that shrinks to less than a pixel.
func TestThin(t *testing.T) {
	for _, size := range [][2]int{{1, 1025}, {1025, 1}, {3, 5000}} {
		if s := Find(Of(image.NewGray(image.Rect(0, 0, size[0], size[1])), 1024), 10); len(s.Points) != 0 {
			t.Errorf("%v: %d points", size, len(s.Points))
		}
	}
}
