package keypoints

import (
	"image"
	"math"
)

// Gray is a gray image: row-major, 0 black and 1 white.
type Gray struct {
	W, H int
	Pix  []float32
}

func newGray(w, h int) *Gray { return &Gray{w, h, make([]float32, w*h)} }

// Of turns a picture gray. One whose longer side exceeds side pixels is shrunk by
// a whole factor, averaging squares, until it does not; side 0 keeps its size.
func Of(img image.Image, side int) *Gray {
	b := img.Bounds()
	f := 1
	for side > 0 && max(b.Dx(), b.Dy())/f > side {
		f++
	}
	g := newGray(max(b.Dx()/f, 1), max(b.Dy()/f, 1))
	for y := range g.H * f {
		for x := range g.W * f {
			g.Pix[y/f*g.W+x/f] += luminance(img, b.Min.X+min(x, b.Dx()-1), b.Min.Y+min(y, b.Dy()-1)) / float32(f*f)
		}
	}
	return g
}

// luminance weighs colors as ITU-R BT.601 does. The cases spare a conversion of
// each pixel that would allocate.
func luminance(img image.Image, x, y int) float32 {
	switch m := img.(type) {
	case *image.RGBA:
		p := m.Pix[m.PixOffset(x, y):]
		return weigh(float32(p[0]), float32(p[1]), float32(p[2])) / 0xff
	case *image.NRGBA:
		p := m.Pix[m.PixOffset(x, y):]
		return weigh(float32(p[0]), float32(p[1]), float32(p[2])) / 0xff
	case *image.YCbCr:
		return float32(m.Y[m.YOffset(x, y)]) / 0xff
	}
	r, g, b, _ := img.At(x, y).RGBA()
	return weigh(float32(r), float32(g), float32(b)) / 0xffff
}

func weigh(r, g, b float32) float32 { return 0.299*r + 0.587*g + 0.114*b }

// half takes every second pixel of every second line.
func (g *Gray) half() *Gray {
	h := newGray(g.W/2, g.H/2)
	for y := range h.H {
		for x := range h.W {
			h.Pix[y*h.W+x] = g.Pix[2*y*g.W+2*x]
		}
	}
	return h
}

// blurred convolves with a Gaussian of sigma pixels. Beyond the border the image
// goes on as its border pixels.
func (g *Gray) blurred(sigma float64) *Gray {
	weights := gaussian(sigma)
	r := len(weights) / 2
	lines, out := newGray(g.W, g.H), newGray(g.W, g.H)
	padded := make([]float32, g.W+2*r)
	for y := range g.H {
		line := g.Pix[y*g.W : (y+1)*g.W]
		for i := range padded {
			padded[i] = line[min(max(i-r, 0), g.W-1)]
		}
		to := lines.Pix[y*g.W : (y+1)*g.W]
		for i, w := range weights {
			accumulate(to, padded[i:i+g.W], w)
		}
	}
	for y := range g.H {
		to := out.Pix[y*g.W : (y+1)*g.W]
		for i, w := range weights {
			from := min(max(y+i-r, 0), g.H-1)
			accumulate(to, lines.Pix[from*g.W:(from+1)*g.W], w)
		}
	}
	return out
}

func accumulate(to, from []float32, w float32) {
	from = from[:len(to)]
	for i := range to {
		to[i] += w * from[i]
	}
}

func gaussian(sigma float64) []float32 {
	r := int(math.Ceil(3 * sigma))
	weights := make([]float32, 2*r+1)
	var sum float32
	for i := range weights {
		d := float64(i-r) / sigma
		weights[i] = float32(math.Exp(-d * d / 2))
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

func minus(a, b *Gray) *Gray {
	d := newGray(a.W, a.H)
	for i := range d.Pix {
		d.Pix[i] = a.Pix[i] - b.Pix[i]
	}
	return d
}
