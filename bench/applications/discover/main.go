// Command discover finds objects in a folder of pictures as Wang et al., "Scalable
// k-NN graph construction", section "Applications", discover objects: a k-NN graph
// by coarse features, a matching graph by spatially verified visual words that
// walks it, affinity propagation on the matching graph, and again on the clusters
// that it found, joined by reciprocal neighbors.
//
//	go run ./bench/applications/discover render -out pictures
//	go run ./bench/applications/discover -images pictures -labels pictures/labels.txt -out found
//
// The first command draws pictures with ground truth, for want of photographs;
// the second takes any folder of PNG and JPEG files. A line of the labels file is
// the path of a picture in the folder, a tab and the object in it; pictures that it
// does not name are distracters, and lines that begin with # are repeated above the
// table. How a camera was held (Exif) is not looked at: keypoints turn with the
// picture. The folder -out receives the table, a sheet of pictures of the clusters
// found, the clusters as CSV, and in a folder for each seed the graphs. With -seeds
// the table has means and ranges over several. Give the command again after an
// interruption: finished graphs are read, keypoints are found anew.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/knng/knng/cmd/interrupt"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "render" {
		exit(renderCommand(os.Args[2:]))
	}
	exit(discoverCommand())
}

func discoverCommand() (code int, err error) {
	var c config
	flag.StringVar(&c.images, "images", "", "folder of pictures, PNG or JPEG")
	flag.StringVar(&c.labels, "labels", "", "labels: picture, tab, object")
	flag.StringVar(&c.out, "out", "", "folder for table, sheet, clusters and graphs")
	flag.IntVar(&c.side, "side", 1024, "pictures with a longer side are shrunk")
	flag.IntVar(&c.keypoints, "keypoints", 1000, "most keypoints of a picture")
	flag.IntVar(&c.coarse, "coarse", 1000, "words of the coarse vocabulary")
	flag.IntVar(&c.branch, "branch", 32, "branches of a node of the fine vocabulary's tree")
	flag.IntVar(&c.depth, "depth", 3, "depth of that tree: it has up to branch^depth words")
	flag.IntVar(&c.training, "training", 100000, "descriptors that the vocabularies are made from, at most")
	flag.IntVar(&c.k, "k", 50, "neighbors of a picture, and what reciprocal means")
	flag.IntVar(&c.leaf, "leaf", 200, "pictures of a leaf of the divisions")
	flag.IntVar(&c.visits, "visits", 200, "pictures visited around each with the fine distance")
	flag.IntVar(&c.inliers, "inliers", 8, "matched words that a verified pair has at least")
	flag.Float64Var(&c.worth, "worth", 0.5, "share of their pictures, reciprocal neighbors, from which two over-segments are one")
	flag.IntVar(&c.threads, "threads", 0, "threads (default GOMAXPROCS)")
	flag.Uint64Var(&c.seed, "seed", 1, "seed of vocabularies, divisions and sheet")
	flag.IntVar(&c.seeds, "seeds", 1, "do it with so many seeds, from -seed on, for the spread of the results")
	flag.Parse()
	if err := c.validate(); err != nil {
		return 2, err
	}
	ctx, signalled, stop := interrupt.Notify()
	defer stop()
	err = run(ctx, &c, os.Stdout, os.Stderr)
	if code, ok := signalled.Code(err); ok {
		return code, errors.New("interrupted: give the same command again to continue")
	}
	return 1, err
}

// exit ends the program with code where there is an error.
func exit(code int, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "discover:", err)
		os.Exit(code)
	}
	os.Exit(0)
}
