// Command left builds three times, with a bar, a log and JSON, asks knng info meanwhile, and
// prints how well each knew the time left.
//
//	go run ./bench/cmd/left sift.u8bin --recall 0.99
//
// A bar needs script(1), of util-linux. Arguments are those of knng build, without -o.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/knng/knng/bench/binary"
	"github.com/knng/knng/bench/left"
)

func main() {
	var c left.Config
	var faces string
	flag.StringVar(&c.Knng, "knng", "", "knng binary (default: built now)")
	flag.StringVar(&c.Dir, "scratch", os.TempDir(), "folder for the graphs")
	flag.StringVar(&faces, "faces", strings.Join(left.Faces, ","), "how progress is shown, by comma")
	flag.Parse()
	c.Args = flag.Args()
	if err := run(context.Background(), &c, strings.Split(faces, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "left:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c *left.Config, faces []string) error {
	knng, clean, err := binary.Knng(ctx, c.Knng, c.Dir)
	defer clean()
	if err != nil {
		return err
	}
	c.Knng = knng
	runs := map[string]*left.Run{}
	for _, face := range faces {
		if runs[face], err = c.Watch(ctx, face); err != nil {
			return fmt.Errorf("%s: %w", face, err)
		}
	}
	return left.Table(os.Stdout, runs)
}
