package choose

import (
	"errors"
	"fmt"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/kdtree"
	"github.com/knng/knng/vectors"
)

// treeFrom is the number of rows from which auto takes a tree: fewer are compared with each other in a fifth
// of a second.
const treeFrom = 20_000

// treeDims is the dimension up to which searches in a tree are short on any data. Beyond it auto measures.
const treeDims = 3

// treeVisits is the most pairs per row in a tree of a sample: they take about as long as the balls method for
// a row of few dimensions.
const treeVisits, treeSample, treeQueries = 1000, 1 << 15, 256

// A Chooser chooses a method for the good rows of a build, and reads these at most once.
type Chooser struct {
	Build *build.Build
	Options
	short *bool // searches in a tree are short; nil: not known yet
}

// Take makes the chosen method that of the build.
func (c *Chooser) Take() error {
	method, err := c.Choose()
	if err == nil {
		c.Build.Take(method)
	}
	return err
}

// Settle chooses the method of the build.
func (c *Chooser) Settle() error {
	c.Build.State.Rows = len(c.Build.Good)
	if err := c.Take(); err != nil {
		return err
	}
	c.Build.Method.Settle()
	return c.Build.Save()
}

// ErrMethod says that the given method does not support the rows.
var ErrMethod = errors.New("builder: the method does not take these rows")

// Choose returns the method. Error to test: ErrMethod.
func (c *Chooser) Choose() (string, error) {
	src, rows := c.Build.Source, c.Build.Good
	n, dim := len(rows), src.Dim()
	m := c.ByCounts(n, dim)
	if m == job.TreeMethod && !c.treeKnows(dim) {
		return m, fmt.Errorf("%w: tree takes rows of at most %d dimensions under euclidean or sqeuclidean, not %d under %v",
			ErrMethod, kdtree.MaxDim, dim, c.Metric)
	}
	if c.Method != job.AutoMethod || m == job.PartsMethod || !c.treeServes(n, dim) {
		return m, nil
	}
	if c.short == nil {
		short, err := searchesAreShort(src, rows, c.K, c.Threads)
		if err != nil {
			return m, err
		}
		c.short = &short
	}
	if *c.short {
		return job.TreeMethod, nil
	}
	return m, nil
}

// treeServes reports whether auto may take a tree.
func (o *Options) treeServes(n, dim int) bool {
	return o.treeKnows(dim) && n > treeFrom && !o.PaperOnly && o.Metric.Gathers() && o.Divisions == 0 && o.Rounds == 0
}

// treeKnows reports whether a tree supports the distance.
func (o *Options) treeKnows(dim int) bool {
	return dim <= kdtree.MaxDim && !o.Own && o.Metric.Squares()
}

// searchesAreShort reports whether searches in a tree of some rows are short.
func searchesAreShort(src *vectors.Input, rows []uint32, k, threads int) (bool, error) {
	dim, size := src.Dim(), src.Type().Size()
	if dim <= treeDims {
		return true, nil
	}
	n := min(len(rows), treeSample)
	values, row := make([]float32, n*dim), make([]byte, dim*size)
	for i := range n {
		at := rows[int64(i)*int64(len(rows))/int64(n)]
		if err := src.ReadRows(int(at), row); err != nil {
			return false, err
		}
		vectors.Decode(src.Type(), row, values[i*dim:(i+1)*dim])
	}
	tree, _ := kdtree.New(values, dim, threads)
	return tree.Visits(k, treeQueries) <= treeVisits, nil
}
