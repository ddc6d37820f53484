package postings

import (
	"context"
	"fmt"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/stopped"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors/sparse"
)

// Rates that a plan is made by, in seconds of a core.
const (
	perProduct = 1.3e-9 // along postings
	perSum     = 0.6e-9 // a row of a slab, for each row
	perEntry   = 60e-9  // of the file, read and turned around
)

// Plan predicts the cost of a build of src. It reads the matrix, to count the rows of each column. The time
// is an upper bound, since it counts frequent columns that a build leaves out.
func Plan(ctx context.Context, src *sparse.Source, opts builder.Options) (*plan.Plan, error) {
	if err := Validate(opts); err != nil {
		return nil, err
	}
	if err := given(src); err != nil {
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
		return nil, stopped.Error(ctx, err)
	}
	return planOf(&opts, src.Len(), src.Columns(), found.Nonzeros, src.File.Size, productsOf(counts)), nil
}

// productsOf is how many products along postings all pairs take, by the rows that each column has.
func productsOf(counts []uint32) (products float64) {
	for _, n := range counts {
		products += float64(n) * float64(n)
	}
	return products
}

// planOf is the plan of so many rows, columns and values, read from a file of size bytes.
func planOf(opts *builder.Options, rows, columns int, nonzeros, size int64, products float64) *plan.Plan {
	n, k := int64(rows), int64(max(0, min(opts.K, rows-1)))
	copied, index, lists := 8*nonzeros+8*n, postingBytes*nonzeros, 8*n*k
	least := leastOf(n, int64(columns), nonzeros, k, int64(opts.Threads))
	threads := float64(opts.Threads)
	p := &plan.Plan{Method: string(builder.Exact), Rows: n, Dim: columns, K: int(k), PeakAnonBytes: least,
		LimitBytes: opts.Memory, LeastBytes: leastOf(n, int64(columns), nonzeros, k, 1)}
	add := func(name, does string, read, written, anon, disk int64, seconds float64) {
		p.Passes = append(p.Passes, plan.Pass{Name: name, Does: does, Times: 1, ReadBytes: read, WrittenBytes: written, AnonBytes: anon, DiskBytes: disk, Seconds: seconds})
		p.ReadBytes, p.WrittenBytes, p.Seconds = p.ReadBytes+read, p.WrittenBytes+written, p.Seconds+seconds
		p.PeakDiskBytes = max(p.PeakDiskBytes, disk)
	}
	add("rows", "look at every value, copy the rows", size, copied, 16<<20, copied, perEntry*float64(nonzeros))
	add("index", "turn the rows around", 3*copied, index, least, copied+index, perEntry*float64(nonzeros))
	add("exact", fmt.Sprintf("at most %.3g products along postings", products), index, lists, least, copied+index+lists,
		(perProduct*products+perSum*float64(n)*float64(n))/threads)
	add("adjacency", "lists in input order, checksum, seal", 2*lists+copied, lists, least, copied+index+2*lists, 10e-9*float64(lists+copied))
	p.CPUSeconds = p.Seconds + (threads-1)*p.Passes[2].Seconds
	return p
}

// expect has the time left told from now on: the index knows how many products there are.
func (r *run) expect() {
	r.Expects(planOf(&r.opts, r.rows.Len(), r.rows.Columns(), r.rows.Nonzeros(), r.src.File.Size, r.index.products).Alone())
}
