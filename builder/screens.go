package builder

import (
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/builder/screen"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/products"
)

// screening is what tells, more or less, which rows are near.
type screening struct {
	codes    *codes.Matrix    // of rows: in the balls method, and where they screen
	lead     *codes.Matrix    // along the leading axes, where codes are along axes
	rounded  *screen.Rounded  // the same with bounds: where they are not keys
	vague    bool             // bounds were too wide
	axes     int              // along which codes are; 0: all dimensions
	products *products.Matrix // of rows, where codes do not tell
}

// bytesAreKeys reports whether code distances of the rows are their keys.
func (r *run) bytesAreKeys() bool {
	integers := r.src.Type() == vectors.Uint8 || r.src.Type() == vectors.Int8
	return integers && r.opts.Distance == nil && (r.opts.Metric == distance.Euclidean || r.opts.Metric == distance.SqEuclidean)
}

// screens returns what makes screens over the rows, one a goroutine; nil where the
// distance is the user's own.
func (r *run) screens() (func() screen.Screen, error) {
	if r.opts.Distance != nil {
		return nil, nil
	}
	if err := r.haveCodes(); err != nil {
		return nil, err
	}
	switch {
	case r.bytesAreKeys():
		return func() screen.Screen { return screen.Codes(r.codes) }, nil
	case r.rounded != nil:
		return r.rounded.Screen, nil
	}
	if r.products == nil {
		var err error
		if r.products, err = products.Of(r.rows, r.space, r.opts.Threads); err != nil {
			return nil, err
		}
	}
	return func() screen.Screen { return screen.Products(r.products) }, nil
}

// codesDivide reports whether codes tell, more or less, what lies together: nothing does
// under inner products, and under a distance of the user's own who knows.
func (r *run) codesDivide() bool { return r.opts.Distance == nil && r.opts.Metric != distance.IP }

// codesScreen reports whether the method compares all pairs by codes where these tell.
func (r *run) codesScreen() bool { return r.opts.Distance == nil && r.state.Method == Exact }

// haveCodes makes what codes screen by, where there is any: codes that are keys, or others
// with bounds where the method has them.
func (r *run) haveCodes() (err error) {
	switch {
	case r.bytesAreKeys() && r.codes == nil:
		r.codes, err = codes.Of(r.rows, r.space, codes.Rounding{}, r.opts.Threads)
		return err
	case r.bytesAreKeys(), r.rounded != nil, r.vague:
		return nil
	case !r.codesScreen() && r.state.Method != Balls:
		return nil
	}
	if r.codes == nil {
		if r.codes, err = r.roundedRows(r.rows); err != nil {
			return err
		}
	}
	return r.boundCodes(r.rows)
}

// boundCodes has the codes of rows tell what is near by how far rows lie from them. Where
// that is so far that they do not, the exact method gives them up.
func (r *run) boundCodes(rows *vectors.Rows) error {
	if r.opts.Metric == distance.IP {
		inner, fits, err := r.codes.Inner(rows, r.space, r.opts.Threads)
		if err != nil {
			return err
		}
		r.codes, r.vague = inner, !fits
	}
	if !r.vague {
		r.rounded = screen.NewRounded(r.codes, r.k)
		r.vague = !r.rounded.Tells()
	}
	if !r.vague {
		return nil
	}
	r.rounded = nil
	if r.state.Method == Exact {
		r.codes = nil
	}
	return nil
}

// exactly computes the exact lists of some places, and how many distances that
// took.
func (r *run) exactly(places []uint32, p *phase) (*recall.Lists, int64, error) {
	if r.state.Method == Parts {
		return r.exactlyInParts(places, p)
	}
	search := recall.Search{K: r.k, RowOf: r.order, Threads: r.opts.Threads, Progress: func(n int64) { p.Add(int(n)) }}
	keys := func() recall.Keys { return recall.Keys(r.keys()) }
	screens, err := r.screens()
	if err != nil {
		return nil, 0, err
	}
	if screens == nil {
		return search.Keys(r.ctx, r.n(), places, keys)
	}
	return search.Screened(r.ctx, r.n(), r.rows.Dim(), places, screens, keys)
}
