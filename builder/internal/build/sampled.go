package build

import (
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/vectors/codes"
)

// calibrationRows is the number of rows to sample: more than a leaf has, and few enough to read from anywhere
// in a large file at once. If rows are very long, fewer are held.
const calibrationRows, calibrationBytes = 2048, 16 << 20

// Sampled returns some rows of the input, evenly spread, as points of their own.
func (b *Build) Sampled() (*points.Points, error) {
	size := b.Space.RowBytes()
	n := min(calibrationRows, max(64, calibrationBytes/size), len(b.Good))
	bytes := make([]byte, n*size)
	for i := range n {
		at := b.Good[i*len(b.Good)/n]
		if err := b.Source.ReadRows(int(at), bytes[i*size:(i+1)*size]); err != nil {
			return nil, err
		}
	}
	g := &points.Points{Space: b.Space, Own: b.Own, Threads: b.Job.Threads, K: min(b.Set.K, n-1), Screening: points.Screening{Use: b.Use}}
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
