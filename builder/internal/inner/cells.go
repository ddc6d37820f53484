// Package inner finds the rows whose inner products with a row are largest.
//
// Under inner products near rows need not lie near each other: the nearest rows of most rows are the longest
// ones. But among rows of similar length, those of similar direction are nearest. So rows are divided into
// bands by their norms, and each band into cells of similar directions; a row looks into the cells of highest
// promise in all bands. The norm of a cell's longest row bounds all its inner products (Cauchy-Schwarz),
// codes of directions bound each pair, and keys decide the few pairs that remain. The lists are those that
// keys alone would give for these cells. All cells together hold all rows, so looking into more of them leads
// to exact lists.
package inner

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
)

// Cells are all rows, grouped by length and direction.
type Cells struct {
	directions *codes.Matrix
	norms      []float64  // places, ascending; groups of long rows come first
	groups     [][]uint32 // places, ascending; bands of long rows come first
	of         []uint32   // the cell of each place
	ends       []ends
	centers    *codes.Centers
	perUnit    float64 // quantization steps per unit
	blocks     []offheap.Block[byte]
}

// Options are the options of Make.
type Options struct {
	Seed    uint64
	Threads int
	Memory  *offheap.Ledger // holds the codes, a row's dimension plus 12 bytes each; nil: the heap
}

// ends are the bounds on the rows of a cell.
type ends struct {
	longest, shortest float64
	residual          float64 // largest residual of the codes
	spread            float64 // of directions around the center
}

// bandRatio is the largest ratio of the longest to the shortest row of a band; a band of less than a quarter
// of a cell may exceed it.
const bandRatio = 1.25

// Make divides the rows into cells, which the caller frees.
func Make(ctx context.Context, rows *vectors.Rows, space *distance.Space, o Options) (*Cells, error) {
	c := &Cells{of: make([]uint32, rows.Len())}
	if err := c.fill(ctx, rows, space, o); err != nil {
		c.Free()
		return nil, err
	}
	return c, nil
}

func (c *Cells) fill(ctx context.Context, rows *vectors.Rows, space *distance.Space, o Options) (err error) {
	if c.norms, err = normsOf(ctx, rows, space, o.Threads); err != nil {
		return err
	}
	if c.directions, err = codes.OfIn(c.roomIn(o.Memory), rows, space, codes.FitUnit(rows, space), o.Threads); err != nil {
		return err
	}
	c.perUnit = c.directions.Rounding().PerUnit
	size := fixed.CellRows(rows.Len())
	for number, band := range bands(c.norms, size) {
		d := division.Balls{Seed: o.Seed + uint64(number), LeafSize: size, Overlap: 1, Threads: o.Threads}
		if err := c.divide(ctx, d, band, o.Memory); err != nil {
			return err
		}
	}
	return c.measure()
}

// Free frees the memory of the cells, which may not be used afterwards.
func (c *Cells) Free() {
	c.directions = nil
	c.freeFrom(0)
}

// freeFrom frees the blocks from number first on.
func (c *Cells) freeFrom(first int) {
	for i := range c.blocks[first:] {
		c.blocks[first+i].Free()
	}
	c.blocks = c.blocks[:first]
}

// roomIn returns the memory for codes.
func (c *Cells) roomIn(memory *offheap.Ledger) codes.Room {
	if memory == nil {
		return nil
	}
	return func(bytes int) ([]byte, error) {
		block, err := offheap.Take[byte](memory, bytes)
		if err != nil {
			return nil, err
		}
		c.blocks = append(c.blocks, block)
		return block.Slice, nil
	}
}

// normRows is the number of rows that a goroutine takes at a time.
const normRows = 4096

func normsOf(ctx context.Context, rows *vectors.Rows, space *distance.Space, threads int) ([]float64, error) {
	norms := make([]float64, rows.Len())
	return norms, vectors.Ranges(threads, rows.Len(), normRows, func() func(from, to int) error {
		return func(from, to int) error {
			for i := from; i < to; i++ {
				norms[i] = space.Norm(rows.Row(i))
			}
			return ctx.Err()
		}
	})
}

// bands returns groups of places with similar norms, those of the longest rows first.
func bands(norms []float64, size int) (bands [][]uint32) {
	order := make([]uint32, len(norms))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(norms[y], norms[x]), cmp.Compare(x, y))
	})
	for from := 0; from < len(order); {
		longest := norms[order[from]]
		to := min(from+max(size/4, 1), len(order))
		for to < len(order) && norms[order[to]]*bandRatio >= longest && (norms[order[to]] > 0 || longest == 0) {
			to++
		}
		if len(order)-to < size/4 {
			to = len(order)
		}
		slices.Sort(order[from:to])
		bands = append(bands, order[from:to])
		from = to
	}
	return bands
}

// divide adds the cells of one band.
func (c *Cells) divide(ctx context.Context, d division.Balls, band []uint32, memory *offheap.Ledger) (err error) {
	if len(band) < d.LeafSize {
		c.groups = append(c.groups, band)
		return nil
	}
	defer c.freeFrom(len(c.blocks))
	if d.Codes, err = c.directions.SomeIn(c.roomIn(memory), band); err != nil {
		return err
	}
	balls, _, err := d.Root(ctx, 0)
	if err != nil {
		return err
	}
	leaves := make([][][]uint32, len(balls))
	err = vectors.Ranges(d.Threads, len(balls), 1, func() func(from, to int) error {
		w := d.Worker(0)
		return func(i, _ int) error {
			return w.Carve(i, balls[i], func(leaf []uint32) error {
				group := make([]uint32, len(leaf))
				for j, number := range leaf {
					group[j] = band[number]
				}
				slices.Sort(group)
				leaves[i] = append(leaves[i], group)
				return ctx.Err()
			})
		}
	})
	for _, groups := range leaves {
		c.groups = append(c.groups, groups...)
	}
	return err
}

// measure computes the centers and the ends of the cells.
func (c *Cells) measure() (err error) {
	if c.centers, err = c.directions.Centers(c.groups); err != nil {
		return err
	}
	for cell, group := range c.groups {
		e := ends{shortest: math.Inf(1), spread: math.Sqrt(max(0, 1-c.centers.Squares[cell]))}
		for _, p := range group {
			c.of[p] = uint32(cell)
			e.longest, e.shortest = max(e.longest, c.norms[p]), min(e.shortest, c.norms[p])
			e.residual = max(e.residual, float64(c.directions.Residual(p)))
		}
		c.ends = append(c.ends, e)
	}
	return nil
}

// Len returns the number of cells.
func (c *Cells) Len() int { return len(c.groups) }
