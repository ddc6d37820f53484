package builder

import (
	"github.com/knng/knng/builder/screen"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/products"
)

// use is what a method has codes of its rows for.
type use int

const (
	noCodes        use = iota // only where they are keys
	groupCodes                // to order candidates, of the rows of a group alone
	candidateCodes            // to order candidates
	pairCodes                 // to bound the keys of all pairs
)

// screening is what tells, more or less, which rows are near.
type screening struct {
	use      use
	fit      func(*vectors.Rows) (codes.Rounding, error) // the rounding of codes, where they are not keys
	codes    *codes.Matrix                               // of rows
	lead     *codes.Matrix                               // along the leading axes, where codes are along axes
	rounded  *screen.Rounded                             // the same with bounds: where they are not keys
	vague    bool                                        // bounds were too wide
	axes     int                                         // along which codes are; 0: all dimensions
	products *products.Matrix                            // of rows, where codes do not tell
}

// bytesAreKeys reports whether code distances of the rows are their keys.
func (ps *points) bytesAreKeys() bool { return ps.own == nil && ps.space.IntegerKeys() }

// codesOrder reports whether ordering by code distances is ordering by keys: they
// are equal, and float32 tells all of them apart.
func (ps *points) codesOrder() bool {
	return ps.bytesAreKeys() && ps.space.Dim()*255*255 < 1<<24
}

// codesDivide reports whether codes tell, more or less, what lies together: nothing does
// under inner products, and under a distance of the user's own who knows.
func (ps *points) codesDivide() bool { return ps.own == nil && ps.space.Metric().Gathers() }

// screens returns what makes screens over the rows, one a goroutine; nil where the
// distance is the user's own.
func (ps *points) screens() (func() screen.Screen, error) {
	if ps.own != nil {
		return nil, nil
	}
	if err := ps.haveCodes(); err != nil {
		return nil, err
	}
	switch {
	case ps.bytesAreKeys():
		return func() screen.Screen { return screen.Codes(ps.codes) }, nil
	case ps.rounded != nil:
		return ps.rounded.Screen, nil
	}
	if ps.products == nil {
		var err error
		if ps.products, err = products.Of(ps.rows, ps.space, ps.threads); err != nil {
			return nil, err
		}
	}
	return func() screen.Screen { return screen.Products(ps.products) }, nil
}

// leafColumns is how many rows of a leaf the others are compared with at a time: a
// quarter of a megabyte at usual dimensions, which stays in a second-level cache.
const leafColumns = 2048

// screenBytes is how much columns take in tiles: they stay in a second-level cache.
const screenBytes = 640 << 10

// screenColumns is how many rows are columns at a time: of bytes as many as a leaf has at
// most, as float32 a quarter.
func (ps *points) screenColumns() int {
	if ps.products != nil {
		return min(512, max(16, screenBytes/(4*ps.space.Dim())))
	}
	return min(leafColumns, max(16, screenBytes/ps.space.Dim()))
}

// haveCodes makes what codes screen by, where there is any: codes that are keys, or others
// with bounds where the method has them.
func (ps *points) haveCodes() (err error) {
	switch {
	case ps.bytesAreKeys() && ps.codes == nil:
		ps.codes, err = codes.Of(ps.rows, ps.space, codes.Rounding{}, ps.threads)
		return err
	case ps.bytesAreKeys(), ps.rounded != nil, ps.vague, ps.use < candidateCodes, ps.own != nil:
		return nil
	}
	if ps.codes == nil {
		if ps.codes, err = ps.roundedRows(ps.rows); err != nil {
			return err
		}
	}
	return ps.boundCodes(ps.rows)
}

// boundCodes has the codes of rows tell what is near by how far rows lie from them. Where
// that is so far that they do not, codes that are there for nothing else are given up.
func (ps *points) boundCodes(rows *vectors.Rows) error {
	if !ps.space.Metric().Gathers() {
		inner, fits, err := ps.codes.Inner(rows, ps.space, ps.threads)
		if err != nil {
			return err
		}
		ps.codes, ps.vague = inner, !fits
	}
	if !ps.vague {
		ps.rounded = screen.NewRounded(ps.codes, ps.k)
		ps.vague = !ps.rounded.Tells()
	}
	if !ps.vague {
		return nil
	}
	ps.rounded = nil
	if ps.use == pairCodes {
		ps.codes = nil
	}
	return nil
}

// restore gives up codes along axes, before others are asked for.
func (ps *points) restore() {
	if ps.codes != nil && ps.codes.Reduced() {
		ps.codes, ps.lead = nil, nil
	}
}

// roundedRows is the codes of rows, by the rounding that was fitted on the rows
// in input order.
func (ps *points) roundedRows(rows *vectors.Rows) (*codes.Matrix, error) {
	rounding, err := ps.fit(rows)
	if err != nil {
		return nil, err
	}
	return codes.Of(rows, ps.space, rounding, ps.threads)
}

// fitted is the rounding of codes for what the method has them for: for bounds on keys,
// or for an order of candidates.
func (ps *points) fitted(rows *vectors.Rows) codes.Rounding {
	if ps.use == pairCodes {
		return codes.FitRows(rows, ps.space)
	}
	rounding, _ := codes.Fit(rows, ps.space)
	return rounding
}

// codeBytes is the memory of the codes of n rows, their sums and their residuals.
func (ps *points) codeBytes(n int64) int64 {
	dim, sums := int64(ps.space.Dim()), int64(8)
	if !ps.space.Metric().Gathers() {
		sums = 20 // and sums of products, with lengths
	}
	if ps.space.RowsAreCodes() {
		return sums * n
	}
	return n*(sums+(dim+3)/4*4) + ps.residualBytes(n)
}

// residualBytes is what codes that are not exact take to tell how far rows lie from them.
func (ps *points) residualBytes(n int64) int64 {
	if ps.bytesAreKeys() {
		return 0
	}
	return 4 * n
}
