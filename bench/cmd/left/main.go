// Command left builds three times, with a bar, a log and JSON, asks knng info meanwhile, and
// prints how well each knew the time left.
//
//	go run ./bench/cmd/left sift.u8bin --recall 0.99
//
// A bar needs script(1), of util-linux. Arguments are those of knng build, without -o.
//
//	go run ./bench/cmd/left -record builder/plan/testdata/left/F.json -clock processor -- -recall 0.99 sift.u8bin
//
// builds once, in its own process, and writes the events from which the time left is estimated, for the
// test that plays them again. It knows few of the flags of knng build, which stand before the files.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/knng/knng/bench/binary"
	"github.com/knng/knng/bench/left"
)

func main() {
	var c left.Config
	var faces, record, clock string
	flag.StringVar(&c.Knng, "knng", "", "knng binary (default: built now)")
	flag.StringVar(&c.Dir, "scratch", os.TempDir(), "folder for the graphs")
	flag.StringVar(&faces, "faces", strings.Join(left.Faces, ","), "how progress is shown, by comma")
	flag.StringVar(&record, "record", "", "file for a recording of one build")
	flag.StringVar(&clock, "clock", "wall", "of a recording: wall or processor time")
	flag.Parse()
	c.Args = flag.Args()
	if record != "" {
		if err := recorded(context.Background(), &c, clock, record); err != nil {
			fmt.Fprintln(os.Stderr, "left:", err)
			os.Exit(1)
		}
		return
	}
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

// recorded writes a recording of a build.
func recorded(ctx context.Context, c *left.Config, clock, path string) error {
	r, err := c.Record(ctx, clock)
	if err != nil {
		return err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o666)
}
