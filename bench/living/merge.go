package living

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/vectors"
)

// A MergePoint is a graph: one of a half of the rows, of all, or merged of both halves.
type MergePoint struct {
	What    string
	Recall  builder.RecallEstimate
	Pairs   float64 // a row
	CPU     float64
	Seconds float64
}

// RunMerge builds graphs of both halves of the rows and of all, and merges those of the
// halves.
func (c Config) RunMerge(ctx context.Context, log io.Writer, tell func(MergePoint)) error {
	if err := os.MkdirAll(c.Work, 0o777); err != nil {
		return err
	}
	n, err := c.rows()
	if err != nil {
		return err
	}
	dirs := []string{c.path("half-a"), c.path("half-b"), c.path("whole"), c.path("merged")}
	for _, dir := range dirs {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	for i, rows := range [][2]int{{0, n / 2}, {n / 2, n}, {0, n}} {
		result, err := c.buildRows(ctx, dirs[i], rows[0], rows[1])
		if err != nil {
			return err
		}
		tell(pointOf([]string{"first half", "second half", "all rows"}[i], result))
	}
	result, err := rebuild.Merge(ctx, dirs[3], 0, dirs[:2], rebuild.Options{})
	if err != nil {
		return err
	}
	tell(pointOf("both halves merged", result))
	fmt.Fprintf(log, "the same by knng merge: %s %s -o %s\n", dirs[0], dirs[1], dirs[3])
	return nil
}

func pointOf(what string, r *builder.Result) MergePoint {
	return MergePoint{what, r.Recall, float64(r.RequestedPairs) / float64(r.Rows), r.CPUSeconds, r.Seconds}
}

// rows is how many rows are measured.
func (c Config) rows() (int, error) {
	in, err := vectors.Open([]string{c.Base}, &vectors.OpenOptions{Limit: c.Limit})
	if err != nil {
		return 0, err
	}
	defer in.Close()
	return in.Len(), nil
}

// buildRows builds a graph of the rows from first to before last.
func (c Config) buildRows(ctx context.Context, dir string, first, last int) (*builder.Result, error) {
	in, err := vectors.Open([]string{c.Base}, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return builder.Build(ctx, dir, vectors.NewInput(stretch{in, first, last - first}), builder.Options{K: c.Lists, Recall: c.Recall})
}

// A stretch is some rows of a source that follow each other.
type stretch struct {
	vectors.Source
	first, n int
}

func (s stretch) Len() int { return s.n }

func (s stretch) ReadRows(first int, dst []byte) error {
	return s.Source.ReadRows(s.first+first, dst)
}
