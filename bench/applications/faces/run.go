package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/knng/knng/vectors"
)

// config is the command line.
type config struct {
	vectors, labels, out string
	k, least, threads    int
	seed                 uint64
	recalls              []float64
	ranks                []int
}

func (c *config) validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(c.vectors == "" || c.labels == "" || c.out == "", "-vectors, -labels and -out are needed")
	fault(c.k < listed, "-k is %d, want at least %d, which the consistency looks at", c.k, listed)
	fault(c.least < 2, "-least is %d, want at least 2", c.least)
	for _, r := range c.recalls {
		fault(!(r > 0 && r <= 1), "a recall is %v, want up to 1", r)
	}
	for _, r := range c.ranks {
		fault(r < 1, "ranks are %d, want at least 1", r)
	}
	return errors.Join(faults...)
}

// run makes the graphs twice, of all rows and of those alone whose label is
// frequent, and shows both. The first time the frequent ones are hidden among
// all others.
func run(ctx context.Context, c *config, stdout, stderr io.Writer) error {
	in, err := vectors.Open([]string{c.vectors}, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	labels, err := readLabels(c.labels, in.Len())
	if err != nil {
		return err
	}
	frequent := rowsOfFrequent(labels, c.least)
	if len(frequent) <= c.k {
		return fmt.Errorf("%s: %d rows have a label with %d rows or more, want more than k, which is %d", c.labels, len(frequent), c.least, c.k)
	}
	if err := os.MkdirAll(c.out, 0o777); err != nil {
		return err
	}
	table, err := os.Create(filepath.Join(c.out, "table.md"))
	if err != nil {
		return err
	}
	defer table.Close()
	alone, err := subset(in, frequent)
	if err != nil {
		return err
	}
	w := io.MultiWriter(stdout, table)
	for _, set := range []struct {
		name   string
		in     *vectors.Input
		labels []int
	}{{"hidden", in, labels}, {"alone", alone, pick(labels, frequent)}} {
		m := &maker{config: c, dir: filepath.Join(c.out, set.name), in: set.in, log: stderr}
		graphs, err := m.graphs(ctx)
		if err != nil {
			return err
		}
		judges := judgesOf(set.labels, c.least)
		scores := make([]*score, len(graphs))
		for i, g := range graphs {
			scores[i] = judges.judge(g.lists)
		}
		report := &report{config: c, set: set.name, graphs: graphs, scores: scores, judges: judges}
		report.print(w)
		if err := report.curves(c.out); err != nil {
			return err
		}
	}
	return table.Close()
}

// subset copies some rows of an input to memory.
func subset(in *vectors.Input, rows []int) (*vectors.Input, error) {
	size := in.Dim() * in.Type().Size()
	data := make([]byte, size*len(rows))
	for i, row := range rows {
		if err := in.ReadRows(row, data[i*size:(i+1)*size]); err != nil {
			return nil, err
		}
	}
	some, err := vectors.RowsOf(data, len(rows), in.Dim(), size, in.Type())
	if err != nil {
		return nil, err
	}
	return vectors.NewInput(some), nil
}
