package render

import (
	"image"
	"math"
	"math/rand/v2"
)

// picture is a view being painted, before light falls on it.
type picture struct{ pix []color }

// newPicture begins with a background that changes slowly from one color to
// another.
func newPicture(rng *rand.Rand) *picture {
	p := &picture{make([]color, Width*Height)}
	var from, to color
	for i := range from {
		from[i], to[i] = rng.Float32(), rng.Float32()
	}
	for i := range p.pix {
		part := float32(i%Width+i/Width) / (Width + Height)
		for c := range from {
			p.pix[i][c] = from[c]*(1-part) + to[c]*part
		}
	}
	return p
}

// thing is a texture somewhere in a picture: flat, or round a can that shows the
// side at yaw.
type thing struct {
	*texture
	round        bool
	yaw, turn    float64 // radians
	x, y         float64 // its center, in pixels
	halfW, halfH float64 // half its sides
}

// samples is how many points a pixel is the mean of, in each direction.
const samples = 2

// paint paints over the picture.
func (p *picture) paint(t *thing) {
	r := math.Hypot(t.halfW, t.halfH) + 1
	for y := max(int(t.y-r), 0); y <= min(int(t.y+r), Height-1); y++ {
		for x := max(int(t.x-r), 0); x <= min(int(t.x+r), Width-1); x++ {
			t.cover(&p.pix[y*Width+x], float64(x), float64(y))
		}
	}
}

// cover mixes the thing into the pixel at x, y.
func (t *thing) cover(pixel *color, x, y float64) {
	cos, sin := math.Cos(t.turn), math.Sin(t.turn)
	var sum color
	var hits float32
	for sy := range samples {
		for sx := range samples {
			dx, dy := x+(float64(sx)+0.5)/samples-0.5-t.x, y+(float64(sy)+0.5)/samples-0.5-t.y
			u, v := (cos*dx+sin*dy)/t.halfW, (cos*dy-sin*dx)/t.halfH
			if math.Abs(u) > 1 || math.Abs(v) > 1 {
				continue
			}
			c := t.seen(u, v)
			for i := range sum {
				sum[i] += c[i]
			}
			hits++
		}
	}
	rest := 1 - hits/(samples*samples)
	for i := range sum {
		pixel[i] = pixel[i]*rest + sum[i]/(samples*samples)
	}
}

// seen is the color at u and v, -1 to 1 across the thing.
func (t *thing) seen(u, v float64) color {
	if !t.round {
		return t.at((u+1)/2, (v+1)/2)
	}
	c := t.at((t.yaw+math.Asin(u))/(2*math.Pi), (v+1)/2)
	shade := float32(0.4 + 0.6*math.Sqrt(1-u*u)) // darker to the sides
	for i := range c {
		c[i] *= shade
	}
	return c
}

// lit is the picture under light from one side, as a camera records it.
func (p *picture) lit(rng *rand.Rand) *image.RGBA {
	gain, fall, from := between(rng, 0.6, 1.15), between(rng, 0, 0.35), between(rng, 0, 2*math.Pi)
	noise := between(rng, 2, 6)
	img := image.NewRGBA(image.Rect(0, 0, Width, Height))
	for i, c := range p.pix {
		x, y := 2*float64(i%Width)/Width-1, 2*float64(i/Width)/Height-1
		light := gain * (1 + fall*(x*math.Cos(from)+y*math.Sin(from)))
		for j := range c {
			v := float64(c[j])*light*255 + noise*rng.NormFloat64()
			img.Pix[4*i+j] = byte(min(max(v+0.5, 0), 255))
		}
		img.Pix[4*i+3] = 255
	}
	return img
}
