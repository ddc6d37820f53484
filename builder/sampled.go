package builder

import (
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/vectors/codes"
)

// calibrationRows is how many rows are tried: more than a leaf has, and few enough to be
// read from anywhere in a large file at once. Of rows that are very long fewer are held.
const calibrationRows, calibrationBytes = 2048, 16 << 20

// sampled is some points of the input, evenly spread, alone.
func (r *run) sampled() (*points.Points, error) {
	size := r.Space.RowBytes()
	n := min(calibrationRows, max(64, calibrationBytes/size), len(r.Good))
	bytes := make([]byte, n*size)
	for i := range n {
		at := r.Good[i*len(r.Good)/n]
		if err := r.src.ReadRows(int(at), bytes[i*size:(i+1)*size]); err != nil {
			return nil, err
		}
	}
	g := &points.Points{Space: r.Space, Own: r.Own, Threads: r.opts.Threads, K: min(r.opts.K, n-1), Screening: points.Screening{Use: r.Use}}
	if err := g.Over(bytes, n); err != nil {
		return nil, err
	}
	if g.Use > points.NoCodes && g.Own == nil {
		var err error
		if g.Codes, err = codes.Of(g.Rows, g.Space, g.Fitted(g.Rows), g.Threads); err != nil {
			return nil, err
		}
	}
	g.Order = g.Numbers(n)
	return g, nil
}
