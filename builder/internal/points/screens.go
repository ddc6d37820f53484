package points

import (
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/screen"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/products"
)

// Use says how a method uses codes.
type Use int

const (
	NoCodes        Use = iota // only if they are keys
	GroupCodes                // to order candidates, only for the rows of a group
	CandidateCodes            // to order candidates
	PairCodes                 // to bound the keys of all pairs
)

// Screening holds the codes of rows and the filters made from them, which bound keys or order rows roughly by
// distance.
type Screening struct {
	Use      Use
	Fit      func(*vectors.Rows) (codes.Rounding, error) // the rounding of codes, if they are not keys
	Codes    *codes.Matrix                               // of rows
	Lead     *codes.Matrix                               // along the leading axes, if codes are along axes
	Rounded  *screen.Rounded                             // the same with bounds, if they are not keys
	vague    bool                                        // bounds were too wide
	Axes     int                                         // number of axes of codes; 0: all dimensions
	products *products.Matrix                            // of rows, if codes do not suffice
}

// BytesAreKeys reports whether code distances of the rows are their keys.
func (ps *Points) BytesAreKeys() bool { return ps.Own == nil && ps.Space.IntegerKeys() }

// CodesOrder reports whether code distances order rows as keys do: they are equal, and float32 distinguishes
// all of them.
func (ps *Points) CodesOrder() bool {
	return ps.BytesAreKeys() && ps.Space.Dim()*255*255 < 1<<24
}

// Inner reports whether rows are compared by inner products.
func (ps *Points) Inner() bool { return ps.Own == nil && !ps.Space.Metric().Gathers() }

// CodesDivide reports whether near codes mean near rows: not under inner products, and not under the user's
// own distance.
func (ps *Points) CodesDivide() bool { return ps.Own == nil && ps.Space.Metric().Gathers() }

// Screens returns a function that makes a screen over the rows for one goroutine; nil under the user's own
// distance, and under a metric that codes do not bound.
func (ps *Points) Screens() (func() screen.Screen, error) {
	if ps.Own != nil || !ps.Space.Metric().Coded() {
		return nil, nil
	}
	if err := ps.HaveCodes(); err != nil {
		return nil, err
	}
	switch {
	case ps.BytesAreKeys():
		return func() screen.Screen { return screen.Codes(ps.Codes) }, nil
	case ps.Rounded != nil:
		return ps.Rounded.Screen, nil
	}
	if ps.products == nil {
		var err error
		if ps.products, err = products.Of(ps.Rows, ps.Space, ps.Threads); err != nil {
			return nil, err
		}
	}
	return func() screen.Screen { return screen.Products(ps.products) }, nil
}

// LeafColumns is the number of rows of a leaf with which other rows are compared at a time: a quarter of a
// megabyte at usual dimensions, which fits a second-level cache.
const LeafColumns = fixed.Columns

// screenBytes is the size of packed columns, which fit a second-level cache.
const screenBytes = 640 << 10

// ScreenColumns returns the number of columns at a time: at most LeafColumns as bytes, a quarter of that as
// float32.
func (ps *Points) ScreenColumns() int {
	if ps.products != nil {
		return min(512, max(16, screenBytes/(4*ps.Space.Dim())))
	}
	return min(LeafColumns, max(16, screenBytes/ps.Space.Dim()))
}

// HaveCodes makes the codes that screens need: codes that are keys, or codes with bounds if the method uses
// them.
func (ps *Points) HaveCodes() (err error) {
	switch {
	case ps.BytesAreKeys() && ps.Codes == nil:
		ps.Codes, err = codes.Of(ps.Rows, ps.Space, codes.Rounding{}, ps.Threads)
		return err
	case ps.BytesAreKeys(), ps.Rounded != nil, ps.vague, ps.Use < CandidateCodes, ps.Own != nil:
		return nil
	}
	if ps.Codes == nil {
		if ps.Codes, err = ps.RoundedRows(ps.Rows); err != nil {
			return err
		}
	}
	return ps.BoundCodes(ps.Rows)
}

// BoundCodes makes filters from codes: code distances, with the distances of rows from their codes, bound the
// keys. If these bounds are too wide to exclude rows, it drops codes that have no other use.
func (ps *Points) BoundCodes(rows *vectors.Rows) error {
	if !ps.Space.Metric().Gathers() {
		inner, fits, err := ps.Codes.Inner(rows, ps.Space, ps.Threads)
		if err != nil {
			return err
		}
		ps.Codes, ps.vague = inner, !fits
	}
	if !ps.vague {
		ps.Rounded = screen.NewRounded(ps.Codes, ps.K)
		ps.vague = !ps.Rounded.Tells()
	}
	if !ps.vague {
		return nil
	}
	ps.Rounded = nil
	if ps.Use == PairCodes {
		ps.Codes = nil
	}
	return nil
}

// DropAxes drops codes along axes; the next codes have all dimensions.
func (ps *Points) DropAxes() {
	if ps.Codes != nil && ps.Codes.Reduced() {
		ps.Codes, ps.Lead = nil, nil
	}
}

// RoundedRows returns the codes of rows, by the rounding fitted on the rows in input order.
func (ps *Points) RoundedRows(rows *vectors.Rows) (*codes.Matrix, error) {
	rounding, err := ps.Fit(rows)
	if err != nil {
		return nil, err
	}
	return codes.Of(rows, ps.Space, rounding, ps.Threads)
}

// Fitted fits the rounding of codes for the method's use: for bounds on keys, or for an order of
// candidates.
func (ps *Points) Fitted(rows *vectors.Rows) codes.Rounding {
	if ps.Use == PairCodes || ps.Inner() {
		return codes.FitRows(rows, ps.Space)
	}
	rounding, _ := codes.Fit(rows, ps.Space)
	return rounding
}

// CodeBytes returns the memory of the codes of n rows, their sums and their residuals.
func (ps *Points) CodeBytes(n int64) int64 {
	dim, sums := int64(ps.Space.Dim()), int64(8)
	if !ps.Space.Metric().Gathers() {
		sums = 20 // also sums of products, and lengths
	}
	if ps.Space.RowsAreCodes() {
		return sums * n
	}
	return n*(sums+(dim+3)/4*4) + ps.ResidualBytes(n)
}

// ResidualBytes returns the memory of the residuals, the distances of n rows from their codes. Exact codes
// have none.
func (ps *Points) ResidualBytes(n int64) int64 {
	if ps.BytesAreKeys() {
		return 0
	}
	return 4 * n
}
