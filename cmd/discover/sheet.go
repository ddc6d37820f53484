package main

import (
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"path/filepath"
	"slices"
)

// Layout of the sheet.
const (
	sheetRows    = 14
	sheetColumns = 12
	thumb        = 120 // pixels a side
	frame        = 4   // around a picture
)

var (
	right   = color.RGBA{0x20, 0xb0, 0x40, 0xff}
	wrong   = color.RGBA{0xe0, 0x20, 0x20, 0xff}
	unknown = color.RGBA{0xa0, 0xa0, 0xa0, 0xff}
)

// sheet draws clusters, a row each, with pictures drawn at random from it: spread
// evenly from the largest to the smallest that has three. With labels a frame is
// green where a picture shows the object that most of the cluster show, else red;
// all are red where these are distracters.
func (r *report) sheet() error {
	groups := spread(r.groups(3), sheetRows)
	cell := thumb + 2*frame
	img := image.NewRGBA(image.Rect(0, 0, sheetColumns*cell, max(len(groups), 1)*cell))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	rng := rand.New(rand.NewPCG(r.seed, 0x54ee7))
	for y, group := range groups {
		object := r.commonest(group)
		rng.Shuffle(len(group), func(i, j int) { group[i], group[j] = group[j], group[i] })
		for x, i := range group[:min(len(group), sheetColumns)] {
			at := image.Rect(x*cell, y*cell, (x+1)*cell, (y+1)*cell)
			draw.Draw(img, at, image.NewUniform(r.border(object, i)), image.Point{}, draw.Src)
			picture, err := decode(filepath.Join(r.images, filepath.FromSlash(r.names[i])))
			if err != nil {
				return err
			}
			shrink(img, at.Inset(frame), picture)
		}
	}
	return writePNG(filepath.Join(r.out, "clusters.png"), img)
}

// groups lists the clusters of at least so many pictures, largest first.
func (r *report) groups(least int) (groups [][]int) {
	of := map[uint32][]int{}
	for i, c := range r.joined {
		of[c] = append(of[c], i)
	}
	for _, g := range of {
		if len(g) >= least {
			groups = append(groups, g)
		}
	}
	slices.SortFunc(groups, func(a, b []int) int { return cmp.Or(len(b)-len(a), a[0]-b[0]) })
	return groups
}

// spread takes at most so many, evenly.
func spread(groups [][]int, most int) (some [][]int) {
	n := min(len(groups), most)
	for i := range n {
		some = append(some, groups[i*(len(groups)-1)/max(n-1, 1)])
	}
	return some
}

// commonest is the label that most pictures of a group bear, of equals the first.
func (r *report) commonest(group []int) (object string) {
	count := map[string]int{}
	for _, i := range group {
		count[r.labels.of[i]]++
	}
	most := 0
	for _, i := range group {
		if l := r.labels.of[i]; count[l] > most {
			object, most = l, count[l]
		}
	}
	return object
}

func (r *report) border(object string, i int) color.Color {
	switch {
	case r.config.labels == "":
		return unknown
	case object != "" && r.labels.of[i] == object:
		return right
	}
	return wrong
}

// shrink draws the whole of a picture into a square, as large as it fits.
func shrink(to draw.Image, at image.Rectangle, from image.Image) {
	b := from.Bounds()
	side := max(b.Dx(), b.Dy())
	w, h := b.Dx()*at.Dx()/side, b.Dy()*at.Dy()/side
	for y := range h {
		for x := range w {
			to.Set(at.Min.X+x+(at.Dx()-w)/2, at.Min.Y+y+(at.Dy()-h)/2, from.At(b.Min.X+x*b.Dx()/w, b.Min.Y+y*b.Dy()/h))
		}
	}
}
