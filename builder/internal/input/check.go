package input

import (
	"errors"
	"fmt"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// ErrReference is builder.ErrReference.
var ErrReference = errors.New("builder: nothing to reference")

// Options are the options of a build that its rows must suit.
type Options struct {
	Metric    distance.Metric
	Own       bool // the user's own distance replaces the metric
	Reference bool // rows are not copied into the store
	Collapse  bool // only the first of equal rows is solved
	Scale     *int // the exponent by which rows are scaled; nil: from a sample of them
}

// Given refuses an input that is nil, or has no source.
func Given(src *vectors.Input) error {
	if src == nil || src.Source == nil {
		return vectors.Misused(errors.New("builder: no rows are given: the input is nil, or was made of a nil source"))
	}
	return nil
}

// Check refuses an input of which no graph can be made.
func Check(src *vectors.Input, o Options) error {
	if err := Given(src); err != nil {
		return err
	}
	switch rows, dim := int64(src.Len()), src.Dim(); {
	case rows == 0:
		return vectors.Refused(errors.New("builder: the input has no rows"))
	case rows > vectors.MaxRows:
		return vectors.Refused(fmt.Errorf("builder: the input has %d rows, at most %d can be in a graph", rows, int64(vectors.MaxRows)))
	case dim < 1 || dim > vectors.MaxDim:
		return vectors.Refused(fmt.Errorf("builder: the input's rows have dimension %d, want 1 to %d", dim, vectors.MaxDim))
	}
	return referable(src, o)
}

// referable refuses to reference rows that would be absent, or not in the order of places, when the graph is
// read.
func referable(src *vectors.Input, o Options) error {
	_, mapped := src.Mapped()
	rows := ""
	switch {
	case !o.Reference:
		return nil
	case len(src.Files) == 0:
		rows = "rows in memory"
	case src.Received() > 0:
		rows = "rows of a stream, or of a packed file,"
	case !mapped:
		rows = "rows of several files, or of other numbers than rows hold (float64, other byte or Fortran order),"
	case o.Collapse:
		rows = "collapsed rows"
	default:
		return nil
	}
	return fmt.Errorf("%w: %s cannot be referenced: let the store copy them", ErrReference, rows)
}
