package keypoints

import "math"

const (
	angleBins = 36
	windows   = 4  // windows a side
	turns     = 8  // directions a window
	windowed  = 3. // side of a window, in sigmas
	clipped   = 0.2
)

// field is the gradients of an image: length and direction, the latter in
// [0, 2 pi).
type field struct{ length, angle *Gray }

// fieldNear returns the gradients of the blurred image nearest to an extremum.
func (o *octave) fieldNear(e extremum) *field {
	l := min(max(int(e.level+0.5), 0), len(o.blurs)-1)
	if o.fields[l] == nil {
		o.fields[l] = gradients(o.blurs[l])
	}
	return o.fields[l]
}

func gradients(g *Gray) *field {
	f := &field{newGray(g.W, g.H), newGray(g.W, g.H)}
	for y := 1; y < g.H-1; y++ {
		for x := 1; x < g.W-1; x++ {
			at := y*g.W + x
			dx, dy := float64(g.Pix[at+1]-g.Pix[at-1]), float64(g.Pix[at+g.W]-g.Pix[at-g.W])
			f.length.Pix[at] = float32(math.Sqrt(dx*dx + dy*dy))
			f.angle.Pix[at] = wrapped(float32(math.Atan2(dy, dx)))
		}
	}
	return f
}

// wrapped brings an angle into [0, 2 pi).
func wrapped(a float32) float32 {
	if a < 0 {
		a += 2 * math.Pi
	}
	if a >= 2*math.Pi {
		a -= 2 * math.Pi
	}
	return a
}

// each calls fn for the pixels of a square around an extremum.
func (f *field) each(e extremum, radius int, fn func(dx, dy, length, angle float32)) {
	cx, cy := int(e.x+0.5), int(e.y+0.5)
	for y := max(cy-radius, 1); y <= min(cy+radius, f.length.H-2); y++ {
		for x := max(cx-radius, 1); x <= min(cx+radius, f.length.W-2); x++ {
			at := y*f.length.W + x
			fn(float32(x)-e.x, float32(y)-e.y, f.length.Pix[at], f.angle.Pix[at])
		}
	}
}

// angles are the directions in which the gradients around an extremum mostly
// point: every peak of their histogram of at least 0.8 of the highest.
func (o *octave) angles(e extremum) (peaks []float32) {
	var raw, bins [angleBins]float32
	sigma := 1.5 * float64(e.sigma())
	o.fieldNear(e).each(e, int(3*sigma+0.5), func(dx, dy, length, angle float32) {
		w := math.Exp(-float64(dx*dx+dy*dy) / (2 * sigma * sigma))
		raw[int(angle*(angleBins/(2*math.Pi)))%angleBins] += float32(w) * length
	})
	var highest float32
	for i := range bins { // smoothed, or noise splits a peak
		around := func(d int) float32 { return raw[(i+d+angleBins)%angleBins] }
		bins[i] = (6*around(0) + 4*(around(-1)+around(1)) + around(-2) + around(2)) / 16
		highest = max(highest, bins[i])
	}
	for i, v := range bins {
		before, after := bins[(i+angleBins-1)%angleBins], bins[(i+1)%angleBins]
		if v > before && v >= after && v >= 0.8*highest {
			at, _ := vertex(before, v, after)
			peaks = append(peaks, wrapped((float32(i)+0.5+at)*(2*math.Pi/angleBins)))
		}
	}
	return peaks
}

// describe appends the descriptor of an extremum: histograms of the directions of
// gradients in 4 x 4 windows, turned by angle. A gradient counts in the two
// nearest windows of each axis and in the two nearest directions.
func (o *octave) describe(to []byte, e extremum, angle float32) []byte {
	var bins [windows][windows][turns]float32
	cos, sin := float32(math.Cos(float64(angle))), float32(math.Sin(float64(angle)))
	side := windowed * e.sigma()
	radius := int(side*math.Sqrt2*(windows+1)/2 + 0.5)
	o.fieldNear(e).each(e, radius, func(dx, dy, length, direction float32) {
		u, v := (cos*dx+sin*dy)/side, (cos*dy-sin*dx)/side // in windows, from the center
		x, y := u+windows/2-0.5, v+windows/2-0.5
		if x <= -1 || y <= -1 || x >= windows || y >= windows {
			return
		}
		w := length * float32(math.Exp(-float64(u*u+v*v)/(windows*windows/2)))
		turn := wrapped(direction-angle) * (turns / (2 * math.Pi))
		share(x, func(ix int, wx float32) {
			share(y, func(iy int, wy float32) {
				it := int(turn)
				wt := turn - float32(it)
				bins[iy][ix][it%turns] += w * wx * wy * (1 - wt)
				bins[iy][ix][(it+1)%turns] += w * wx * wy * wt
			})
		})
	})
	var all [Dim]float32
	for y := range bins {
		for x := range bins[y] {
			copy(all[(y*windows+x)*turns:], bins[y][x][:])
		}
	}
	normalize(all[:])
	for i := range all { // a highlight must not outweigh the rest
		all[i] = min(all[i], clipped)
	}
	normalize(all[:])
	for _, v := range all {
		to = append(to, byte(min(512*v+0.5, 255)))
	}
	return to
}

// share splits a position between the two nearest windows.
func share(x float32, fn func(window int, weight float32)) {
	i := int(x+1) - 1
	part := x - float32(i)
	if i >= 0 {
		fn(i, 1-part)
	}
	if i+1 < windows {
		fn(i+1, part)
	}
}

func normalize(v []float32) {
	var sum float32
	for _, x := range v {
		sum += x * x
	}
	if sum == 0 {
		return
	}
	f := float32(1 / math.Sqrt(float64(sum)))
	for i := range v {
		v[i] *= f
	}
}
