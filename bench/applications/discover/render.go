package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"runtime"

	"github.com/knng/knng/bench/applications/discover/internal/render"
	"github.com/knng/knng/vectors"
)

// drawing is the command line of render.
type drawing struct {
	out                            string
	objects, fewest, most, without int
	seed                           uint64
}

func renderCommand(args []string) (code int, err error) {
	var d drawing
	f := flag.NewFlagSet("render", flag.ExitOnError)
	f.StringVar(&d.out, "out", "", "folder for pictures and labels.txt")
	f.IntVar(&d.objects, "objects", 100, "distinct objects")
	f.IntVar(&d.fewest, "fewest", 6, "fewest views of an object")
	f.IntVar(&d.most, "most", 24, "most views of an object")
	f.IntVar(&d.without, "distracters", 600, "pictures without any of the objects")
	f.Uint64Var(&d.seed, "seed", 1, "seed of everything")
	f.Parse(args)
	if d.out == "" || d.objects < 1 || d.fewest < 1 || d.most < d.fewest || d.without < 0 {
		return 2, errors.New("render: -out is needed, at least one object, and -fewest from 1 to -most")
	}
	return 1, d.draw()
}

// view is one picture to draw.
type view struct {
	file           string
	object, number int // object -1 is a distracter
}

// views lists all pictures. The numbers of views grow evenly from object to object.
func (d *drawing) views() (all []view) {
	for o := range d.objects {
		count := d.fewest + (d.most-d.fewest)*o/max(d.objects-1, 1)
		for i := range count {
			all = append(all, view{fmt.Sprintf("object%03d-%02d.png", o, i), o, i})
		}
	}
	for i := range d.without {
		all = append(all, view{fmt.Sprintf("other%05d.png", i), -1, i})
	}
	return all
}

// draw writes the pictures and their labels.
func (d *drawing) draw() error {
	if err := os.MkdirAll(d.out, 0o777); err != nil {
		return err
	}
	world, all := render.New(d.seed, d.objects), d.views()
	err := vectors.Ranges(runtime.GOMAXPROCS(0), len(all), 8, func() func(from, to int) error {
		return func(from, to int) error {
			for _, v := range all[from:to] {
				img := func() *image.RGBA {
					if v.object < 0 {
						return world.Distracter(v.number)
					}
					return world.View(v.object, v.number)
				}()
				if err := writePNG(filepath.Join(d.out, v.file), img); err != nil {
					return err
				}
			}
			return nil
		}
	})
	return errors.Join(err, d.writeLabels(all))
}

func (d *drawing) writeLabels(all []view) error {
	f, err := os.Create(filepath.Join(d.out, "labels.txt"))
	if err != nil {
		return err
	}
	fmt.Fprintf(f, "# Rendered by discover render -seed %d, no photographs: views of %d textured cans among clutter, and %d distracters.\n", d.seed, d.objects, d.without)
	for _, v := range all {
		if v.object >= 0 {
			fmt.Fprintf(f, "%s\tobject%03d\n", v.file, v.object)
		}
	}
	return f.Close()
}

func writePNG(path string, img image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	fast := png.Encoder{CompressionLevel: png.BestSpeed}
	return errors.Join(fast.Encode(f, img), f.Close())
}
