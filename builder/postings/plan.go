package postings

import (
	"context"
	"fmt"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors/sparse"
)

// Rates that a plan is made by, in seconds of a core.
const (
	perProduct = 1.3e-9 // along postings
	perSum     = 0.6e-9 // a row of a slab, for each row
	perEntry   = 60e-9  // of the file, read and turned around
)

// Plan predicts the cost of a build of src. It reads the matrix, to count the rows that have
// each column. The time is at most so much: columns that a build leaves out are counted.
func Plan(ctx context.Context, src *sparse.Source, opts builder.Options) (*plan.Plan, error) {
	if err := validate(opts); err != nil {
		return nil, err
	}
	opts = defaults(opts)
	counts := make([]uint32, src.Columns())
	found, err := src.Each(ctx, func(_ int, columns []uint32, _ []float32) error {
		for _, c := range columns {
			counts[c]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	products := 0.0
	for _, n := range counts {
		products += float64(n) * float64(n)
	}
	n, k := int64(src.Len()), int64(max(0, min(opts.K, src.Len()-1)))
	rows, index, lists := 8*found.Nonzeros+8*n, postingBytes*found.Nonzeros, 8*n*k
	least := leastOf(n, int64(src.Columns()), found.Nonzeros, k, int64(opts.Threads))
	threads := float64(opts.Threads)
	p := &plan.Plan{Method: string(builder.Exact), Rows: n, Dim: src.Columns(), K: int(k), PeakAnonBytes: least,
		LimitBytes: opts.Memory, LeastBytes: leastOf(n, int64(src.Columns()), found.Nonzeros, k, 1)}
	add := func(name, does string, read, written, anon, disk int64, seconds float64) {
		p.Passes = append(p.Passes, plan.Pass{Name: name, Does: does, Times: 1, ReadBytes: read, WrittenBytes: written, AnonBytes: anon, DiskBytes: disk, Seconds: seconds})
		p.ReadBytes, p.WrittenBytes, p.Seconds = p.ReadBytes+read, p.WrittenBytes+written, p.Seconds+seconds
		p.PeakDiskBytes = max(p.PeakDiskBytes, disk)
	}
	add("rows", "look at every value, copy the rows", src.File.Size, rows, 16<<20, rows, perEntry*float64(found.Nonzeros))
	add("index", "turn the rows around", 3*rows, index, least, rows+index, perEntry*float64(found.Nonzeros))
	add("exact", fmt.Sprintf("at most %.3g products along postings", products), index, lists, least, rows+index+lists,
		(perProduct*products+perSum*float64(n)*float64(n))/threads)
	add("adjacency", "lists in input order, checksum, seal", 2*lists+rows, lists, least, rows+index+2*lists, 10e-9*float64(lists+rows))
	p.CPUSeconds = p.Seconds + (threads-1)*p.Passes[2].Seconds
	return p, nil
}
