package keypoints

import "math"

// The paper's choices, section 3 and 4.
const (
	levels   = 3             // scales an octave
	sigma0   = 1.6           // blur of an octave's first image
	assumed  = 0.5           // blur that an image has already
	contrast = 0.04 / levels // weakest extremum; the paper's 0.03 leaves pictures of a quarter megapixel too few
	edge     = 10.           // largest ratio of the two curvatures
	border   = 5             // pixels in which nothing is looked for
	smallest = 24            // side of the last octave
)

// octave is an image blurred by sigma0 * 2^(i/levels), and the images derived from it.
type octave struct {
	blurs       [levels + 3]*Gray
	differences [levels + 2]*Gray // blurs[i+1] - blurs[i]
	fields      [levels + 3]*field
}

func newOctave(base *Gray) *octave {
	o := new(octave)
	o.blurs[0] = base
	for i := 1; i < len(o.blurs); i++ {
		before, now := blurAt(float64(i-1)), blurAt(float64(i))
		o.blurs[i] = o.blurs[i-1].blurred(math.Sqrt(now*now - before*before))
		o.differences[i-1] = minus(o.blurs[i], o.blurs[i-1])
	}
	return o
}

func blurAt(level float64) float64 { return sigma0 * math.Exp2(level/levels) }

// extremum is a place in an octave: pixels and levels.
type extremum struct {
	x, y, level float32
	response    float32
}

// sigma is its blur in pixels of the octave.
func (e extremum) sigma() float32 { return float32(blurAt(float64(e.level))) }

func (o *octave) extrema() (found []extremum) {
	for l := 1; l <= levels; l++ {
		d := o.differences[l]
		for y := border; y < d.H-border; y++ {
			for x := border; x < d.W-border; x++ {
				if v := d.Pix[y*d.W+x]; max(v, -v) > contrast/2 && o.isExtremum(l, x, y) {
					if e, ok := o.refine(l, x, y); ok {
						found = append(found, e)
					}
				}
			}
		}
	}
	return found
}

// isExtremum compares a pixel with its 26 neighbors in place and scale.
func (o *octave) isExtremum(l, x, y int) bool {
	w := o.differences[l].W
	at := y*w + x
	v := o.differences[l].Pix[at]
	sign := float32(1)
	if v < 0 {
		sign = -1
	}
	v *= sign
	for dl := -1; dl <= 1; dl++ {
		pix := o.differences[l+dl].Pix
		for dy := -w; dy <= w; dy += w {
			for i := at + dy - 1; i <= at+dy+1; i++ {
				if sign*pix[i] >= v && (dl != 0 || i != at) {
					return false
				}
			}
		}
	}
	return true
}

// refine finds the place between pixels and levels, and drops it if it is weak or
// lies along an edge.
func (o *octave) refine(l, x, y int) (e extremum, ok bool) {
	d := o.differences[l]
	at := y*d.W + x
	v := d.Pix[at]
	dx, gx := vertex(d.Pix[at-1], v, d.Pix[at+1])
	dy, gy := vertex(d.Pix[at-d.W], v, d.Pix[at+d.W])
	dl, gl := vertex(o.differences[l-1].Pix[at], v, o.differences[l+1].Pix[at])
	response := v + gx + gy + gl
	response = max(response, -response)

	xx := d.Pix[at-1] + d.Pix[at+1] - 2*v
	yy := d.Pix[at-d.W] + d.Pix[at+d.W] - 2*v
	xy := (d.Pix[at+d.W+1] - d.Pix[at+d.W-1] - d.Pix[at-d.W+1] + d.Pix[at-d.W-1]) / 4
	trace, det := xx+yy, xx*yy-xy*xy
	alongEdge := trace*trace*edge >= det*(edge+1)*(edge+1)
	return extremum{float32(x) + dx, float32(y) + dy, float32(l) + dl, response}, response >= contrast && !alongEdge
}

// vertex is where the parabola through three values at -1, 0 and 1 has its
// extremum, and how much that exceeds the middle one.
func vertex(before, middle, after float32) (at, gain float32) {
	slope, bend := (after-before)/2, before+after-2*middle
	if bend == 0 {
		return 0, 0
	}
	at = min(max(-slope/bend, -0.5), 0.5)
	return at, slope * at / 2
}
