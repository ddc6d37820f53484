// Command generate writes seeded rows for measurements, and the exact neighbors
// of some of them, from which it prints their intrinsic dimension.
//
//	go run ./bench/cmd/generate -n 20000000 -dim 128 -type uint8 -truth 2000 g20M.u8bin
//	go run ./bench/cmd/generate -n 2000000 -dim 1024 -type float16 -truth 2000 g2M.npy
//
// -truth leaves F.gt and F.rows.ibin beside F.u8bin, as knng recall --truth reads
// them. With -keep the rows are those that the file holds already: any vector
// file can be measured so.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/knng/knng/bench/generate"
	"github.com/knng/knng/bench/judge"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// config is the flags.
type config struct {
	n, dim   int
	typ      string
	seed     uint64
	truth, k int
	keep     bool
	path     string
}

func main() {
	var c config
	flag.IntVar(&c.n, "n", 1_000_000, "rows")
	flag.IntVar(&c.dim, "dim", 128, "elements of a row")
	flag.StringVar(&c.typ, "type", "uint8", "uint8, float16 or float32")
	flag.Uint64Var(&c.seed, "seed", 1, "seed of rows and sample")
	flag.IntVar(&c.truth, "truth", 500, "rows whose exact neighbors are searched for; 0: none")
	flag.IntVar(&c.k, "k", 100, "neighbors of each of them")
	flag.BoolVar(&c.keep, "keep", false, "take the rows that the file holds")
	flag.Parse()
	c.path = flag.Arg(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := c.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		stop()
		os.Exit(1)
	}
}

func (c *config) run(ctx context.Context) error {
	if flag.NArg() != 1 {
		return fmt.Errorf("%d files given, want 1", flag.NArg())
	}
	if !c.keep {
		if err := c.write(ctx); err != nil {
			return err
		}
	}
	if c.truth <= 0 {
		return nil
	}
	return c.search(ctx)
}

// write writes the rows.
func (c *config) write(ctx context.Context) error {
	t, err := vectors.ParseType(c.typ)
	if err != nil {
		return err
	}
	rows, err := generate.New(c.n, c.dim, t, c.seed)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := rows.Write(ctx, c.path); err != nil {
		return err
	}
	seconds, bytes := time.Since(began).Seconds(), float64(c.n)*float64(c.dim*t.Size())
	fmt.Printf("%s: %d rows of %d %v, seed %d, in %.1f s (%.0f MB/s, synced)\n", c.path, c.n, c.dim, t, c.seed, seconds, bytes/1e6/seconds)
	return nil
}

// search finds the exact neighbors of the sample and prints the dimension.
func (c *config) search(ctx context.Context) error {
	in, err := vectors.Open([]string{c.path}, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	rows, ok := in.Mapped()
	if !ok {
		return fmt.Errorf("%s cannot be mapped", c.path)
	}
	began := time.Now()
	j, err := judge.Sampled(ctx, rows, distance.Euclidean, c.k, c.truth, c.seed)
	if err != nil {
		return err
	}
	d := generate.Estimate(len(j.Rows()), j.Exact)
	fmt.Printf("intrinsic dimension: median %.1f, %.1f by averaged inverses (maximum likelihood, k=%d, %d of %d rows against all; searched in %.1f s)\n",
		d.Median, d.Mean, c.k, d.Rows, rows.Len(), time.Since(began).Seconds())
	base := strings.TrimSuffix(c.path, filepath.Ext(c.path))
	return j.Save(base+".gt", base+".rows.ibin")
}
