// Package render draws pictures of textured objects, for want of photographs with
// ground truth: many views of each object, and distracters without any of them.
// [New] makes a world, [World.View] and [World.Distracter] draw in it.
//
// The pictures are no photographs. An object is a can with a label of random
// shapes: a cylinder, of which a view shows one half, so that views from two sides
// have little in common. A view chooses its place, size, rotation, side and
// foreshortening, and light that falls from one direction, with noise. Before and
// behind it stands clutter, which all pictures share: small flat textures that
// come again and again, with objects and without. A distracter has clutter and, in
// place of an object, cans that are in no other picture.
//
// Everything follows from the seed and the numbers of object and picture.
package render

import (
	"image"
	"math"
	"math/rand/v2"
)

// Size of the pictures, and pieces of clutter in the world.
const (
	Width  = 320
	Height = 240
	pieces = 40
)

// World is the things that pictures show.
type World struct {
	seed    uint64
	objects []*texture
	clutter []*texture
}

// New makes a world of so many distinct objects.
func New(seed uint64, objects int) *World {
	w := &World{seed: seed}
	for i := range objects {
		w.objects = append(w.objects, label(w.random(ofObject, i)))
	}
	for i := range pieces {
		w.clutter = append(w.clutter, piece(w.random(ofClutter, i)))
	}
	return w
}

// The uses of random numbers, so that no two share any.
const (
	ofObject = iota + 1
	ofClutter
	ofView
	ofDistracter
)

func (w *World) random(use, i int) *rand.Rand {
	return rand.New(rand.NewPCG(w.seed, uint64(use)<<32|uint64(i)))
}

// View draws an object; number tells its views apart.
func (w *World) View(object, number int) *image.RGBA {
	rng := w.random(ofView, object<<16|number)
	p := newPicture(rng)
	w.scatter(p, rng, 4+rng.IntN(5), 0.6, 1.2)
	p.paint(someCan(rng, w.objects[object], 0.55, 1.1))
	w.scatter(p, rng, rng.IntN(4), 0.3, 0.7) // before it
	return p.lit(rng)
}

// Distracter draws a picture without any of the objects.
func (w *World) Distracter(number int) *image.RGBA {
	rng := w.random(ofDistracter, number)
	p := newPicture(rng)
	w.scatter(p, rng, 4+rng.IntN(5), 0.6, 1.2)
	for range 1 + rng.IntN(2) {
		p.paint(someCan(rng, label(rng), 0.4, 0.9))
	}
	w.scatter(p, rng, rng.IntN(4), 0.3, 0.7)
	return p.lit(rng)
}

// scatter paints pieces of clutter.
func (w *World) scatter(p *picture, rng *rand.Rand, count int, smallest, largest float64) {
	for range count {
		t := w.clutter[rng.IntN(len(w.clutter))]
		half := between(rng, smallest, largest) * float64(t.h) / 2
		p.paint(&thing{
			texture: t, halfW: half * between(rng, 0.8, 1.2), halfH: half,
			turn: between(rng, 0, 2*math.Pi), x: between(rng, 0, Width), y: between(rng, 0, Height),
		})
	}
}

// someCan puts a can somewhere, mostly upright.
func someCan(rng *rand.Rand, t *texture, smallest, largest float64) *thing {
	half := between(rng, smallest, largest) * float64(t.h) / 2
	return &thing{
		texture: t, round: true, yaw: between(rng, -math.Pi/4, math.Pi/4),
		halfW: half, halfH: half * between(rng, 0.8, 1), // seen from above or below
		turn: between(rng, -math.Pi/5, math.Pi/5),
		x:    between(rng, half*0.8, Width-half*0.8), y: between(rng, half*0.8, Height-half*0.8),
	}
}

func between(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }
