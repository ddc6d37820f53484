// Command faces organises a labelled set as Wang et al., "Scalable k-NN graph
// construction", section "Applications", organise faces: an approximate k-NN
// graph G1, a graph G2 by rank-order distances that G1's lists give, and the
// exact graph G0 beside them, judged by how many neighbors bear the same label.
//
//	go run ./bench/applications/faces -vectors lfw-lbp500-13K.npy -labels lfw-lbp500-13K.labels.txt -out faces
//
// It prints a table and leaves it in the folder given, with the curves as CSV,
// SVG and PNG, and the graphs. Give the command again after an interruption.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/knng/knng/cmd/interrupt"
)

func main() {
	if code, err := facesCommand(); err != nil {
		fmt.Fprintln(os.Stderr, "faces:", err)
		os.Exit(code)
	}
}

// facesCommand is main without the process: code is for an error.
func facesCommand() (code int, err error) {
	var c config
	flag.StringVar(&c.vectors, "vectors", "", "vector file")
	flag.StringVar(&c.labels, "labels", "", "labels, one line a row")
	flag.StringVar(&c.out, "out", "", "folder for graphs, table and plots")
	flag.IntVar(&c.k, "k", 100, "neighbors of a row")
	flag.IntVar(&c.least, "least", 8, "rows that a label must have to be judged by itself")
	flag.IntVar(&c.threads, "threads", 0, "threads (default GOMAXPROCS)")
	flag.Uint64Var(&c.seed, "seed", 1, "seed of the graphs and of the intervals")
	recalls := flag.String("recalls", "0.90,0.99", "recalls that G1 is built for")
	ranks := flag.String("ranks", "100,20", "entries of G1's lists that rank-order distances look at")
	flag.Parse()
	if c.recalls, err = numbers(*recalls, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }); err == nil {
		c.ranks, err = numbers(*ranks, strconv.Atoi)
	}
	if err == nil {
		err = c.validate()
	}
	if err != nil {
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

// numbers reads a list separated by commas.
func numbers[T any](list string, parse func(string) (T, error)) (values []T, err error) {
	for part := range strings.SplitSeq(list, ",") {
		v, err := parse(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("%q is not a list of numbers: %w", list, err)
		}
		values = append(values, v)
	}
	return values, nil
}
