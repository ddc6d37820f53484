package main

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// Layout of the sheet, in pixels but for the first two.
const (
	sheetRows    = 14
	sheetColumns = 12
	wide, high   = 160, 120 // of a picture
	frame        = 5        // around it
	caption      = 20       // above a row
)

var (
	right   = color.RGBA{0x20, 0xb0, 0x40, 0xff}
	wrong   = color.RGBA{0xe0, 0x20, 0x20, 0xff}
	unknown = color.RGBA{0xb0, 0xb0, 0xb0, 0xff}
)

// sheet draws clusters, a row each, with pictures drawn at random from it: spread
// evenly from the largest to the smallest that has three. Above a row stands a caption
// of the cluster. With labels a frame is green where a picture shows the object
// that most of those in the cluster show, else red, and these come last; all are
// grey where no picture of the cluster shows an object.
func (r *report) sheet() error {
	groups := spread(r.groups(3), sheetRows)
	const w, h = wide + 2*frame, caption + high + 2*frame
	img := image.NewRGBA(image.Rect(0, 0, sheetColumns*w, max(len(groups), 1)*h))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	rng := rand.New(rand.NewPCG(r.found.seed, 0x54ee7))
	for y, group := range groups {
		object := r.commonest(group)
		rng.Shuffle(len(group), func(i, j int) { group[i], group[j] = group[j], group[i] })
		some := group[:min(len(group), sheetColumns)]
		slices.SortStableFunc(some, func(i, j int) int { return cmp.Compare(r.rank(object, i), r.rank(object, j)) })
		write(img, frame, y*h+caption-5, r.caption(group, object))
		for x, i := range some {
			at := image.Rect(x*w, y*h+caption, (x+1)*w, (y+1)*h)
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

// caption describes a cluster.
func (r *report) caption(group []int, object string) string {
	text := fmt.Sprintf("cluster of %d", len(group))
	if len(group) > sheetColumns {
		text += fmt.Sprintf(", %d of them drawn", sheetColumns)
	}
	switch {
	case r.config.labels == "":
		return text
	case object == "":
		return text + ": no object"
	}
	here, all := 0, 0
	for _, i := range group {
		here += 1 - r.rank(object, i)
	}
	for i := range r.names {
		all += 1 - r.rank(object, i)
	}
	return fmt.Sprintf("%s: %d of the %d pictures of %s, %d others", text, here, all, object, len(group)-here)
}

// write draws a line of text, black, its base line at y.
func write(img draw.Image, x, y int, text string) {
	d := font.Drawer{Dst: img, Src: image.Black, Face: basicfont.Face7x13, Dot: fixed.P(x, y)}
	d.DrawString(text)
}

// rank is 0 for a picture of the object and 1 for others.
func (r *report) rank(object string, i int) int {
	if r.labels.of[i] == object {
		return 0
	}
	return 1
}

// groups lists the clusters of at least so many pictures, largest first.
func (r *report) groups(least int) (groups [][]int) {
	of := map[uint32][]int{}
	for i, c := range r.joined.of {
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

// commonest is the object that most pictures of a group show, of equals the first,
// or "" where none shows any.
func (r *report) commonest(group []int) (object string) {
	count := map[string]int{}
	for _, i := range group {
		count[r.labels.of[i]]++
	}
	most := 0
	for _, i := range group {
		if l := r.labels.of[i]; l != "" && count[l] > most {
			object, most = l, count[l]
		}
	}
	return object
}

func (r *report) border(object string, i int) color.Color {
	switch {
	case object == "":
		return unknown
	case r.labels.of[i] == object:
		return right
	}
	return wrong
}

// shrink draws the whole of a picture into the middle of a rectangle, as large as it
// fits.
func shrink(to draw.Image, at image.Rectangle, from image.Image) {
	b := from.Bounds()
	w, h := at.Dx(), b.Dy()*at.Dx()/b.Dx()
	if h > at.Dy() {
		w, h = b.Dx()*at.Dy()/b.Dy(), at.Dy()
	}
	for y := range h {
		for x := range w {
			to.Set(at.Min.X+x+(at.Dx()-w)/2, at.Min.Y+y+(at.Dy()-h)/2, from.At(b.Min.X+x*b.Dx()/w, b.Min.Y+y*b.Dy()/h))
		}
	}
}
