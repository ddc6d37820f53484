package groups

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/internal/hashrand"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// Draw returns the places of the leaders of n rows, ascending: one at random from each of equal ranges of
// rows.
func (d *Division) Draw(n int) []int {
	rng := rand.New(rand.NewPCG(hashrand.Mix(d.Seed^hashrand.Mix(uint64(d.Number))), uint64(n)))
	which := make([]int, d.Leaders)
	for i := range which {
		lo, hi := i*n/d.Leaders, (i+1)*n/d.Leaders
		which[i] = lo + rng.IntN(hi-lo)
	}
	return which
}

// lead draws the leaders, and the heads among them.
func (d *Division) lead(ctx context.Context) (*division.Cells, error) {
	drawn := d.gather(d.Draw(d.Rows.Len()))
	heads, err := d.Heads(ctx, pick(drawn, d.HeadNumbers(), d.Space.RowBytes()))
	if err != nil {
		return nil, err
	}
	headCodes, leaderCodes, err := d.leaderCodes(drawn, heads)
	if err != nil {
		return nil, err
	}
	return division.NewCells(ctx, headCodes, leaderCodes, d.Threads)
}

// HeadNumbers returns the numbers of the leaders that are heads, ascending.
func (d *Division) HeadNumbers() []uint32 {
	heads := make([]uint32, division.HeadsOf(d.Leaders))
	for i := range heads {
		heads[i] = uint32(i * d.Leaders / len(heads))
	}
	return heads
}

// Heads returns the numbers of the leaders that are heads, ordered so that near heads are adjacent. rows
// holds the rows of HeadNumbers, one after the other.
func (d *Division) Heads(ctx context.Context, rows []byte) ([]uint32, error) {
	order, err := d.chain(ctx, rows)
	if err != nil {
		return nil, err
	}
	heads := d.HeadNumbers()
	for i, o := range order {
		order[i] = heads[o]
	}
	return order, nil
}

// leaderCodes returns the codes of the heads and of all leaders.
func (d *Division) leaderCodes(drawn []byte, heads []uint32) (headCodes, leaderCodes division.Rows, err error) {
	h, err := d.codesOf(pick(drawn, heads, d.Space.RowBytes()), d.Threads)
	if err != nil {
		return headCodes, leaderCodes, err
	}
	l, err := d.codesOf(drawn, d.Threads)
	if err != nil {
		return headCodes, leaderCodes, err
	}
	return division.All(h), division.All(l), nil
}

// EmptyCells returns cells without leaders. rows holds the heads in the order of Heads.
func (d *Division) EmptyCells(ctx context.Context, rows []byte) (*division.Cells, error) {
	heads, err := d.codesOf(rows, d.Threads)
	if err != nil {
		return nil, err
	}
	return division.EmptyCells(ctx, division.All(heads), d.Leaders, d.Threads)
}

// Homes returns the cell of each of some leaders. rows holds them one after the other.
func (d *Division) Homes(ctx context.Context, cells *division.Cells, rows []byte) ([]uint32, error) {
	m, err := d.codesOf(rows, d.Threads)
	if err != nil {
		return nil, err
	}
	homes := make([]uint32, m.Len())
	return homes, cells.Homes(ctx, division.All(m), d.Threads, homes)
}

// Cells returns the cells of heads, as ordered by Heads, with all leaders. drawn holds the rows of the
// leaders, homes their cells; with homes known it takes a thousandth of the time of finding them.
func (d *Division) Cells(ctx context.Context, drawn []byte, heads, homes []uint32) (*division.Cells, error) {
	for _, h := range heads {
		if int(h) >= d.Leaders {
			return nil, fmt.Errorf("groups: head %d of %d leaders", h, d.Leaders)
		}
	}
	headCodes, leaderCodes, err := d.leaderCodes(drawn, heads)
	if err != nil {
		return nil, err
	}
	cells, err := division.EmptyCells(ctx, headCodes, d.Leaders, d.Threads)
	if err != nil {
		return nil, err
	}
	return cells, cells.Fill(leaderCodes, homes)
}

// gather copies rows that are far apart on disk, without reading others: the pages that the system would read
// ahead around each come to all rows.
func (d *Division) gather(which []int) []byte {
	drawn := make([]byte, 0, len(which)*rowSize(d.Rows))
	_ = d.Rows.Advise(vectors.Random)
	defer d.Rows.Advise(vectors.Normal)
	for some := range slices.Chunk(which, ahead) {
		for _, i := range some {
			_ = d.Rows.WillNeed(i, i+1)
		}
		for _, i := range some {
			drawn = append(drawn, d.Rows.Row(i)...)
		}
	}
	return drawn
}

// pick returns the rows with the numbers in which.
func pick(rows []byte, which []uint32, size int) []byte {
	picked := make([]byte, 0, len(which)*size)
	for _, i := range which {
		picked = append(picked, rows[int(i)*size:(int(i)+1)*size]...)
	}
	return picked
}

// chainLeaf is the number of heads that stay unordered among themselves: a group holds more heads than that.
const chainLeaf = 16

// chain returns the locality order of rows.
func (d *Division) chain(ctx context.Context, rows []byte) (order []uint32, err error) {
	m, err := d.codesOf(rows, d.Threads)
	if err != nil {
		return nil, err
	}
	b := division.Balls{Codes: m, Seed: d.Seed, LeafSize: chainLeaf, Overlap: 1, Threads: d.Threads}
	balls, _, err := b.Root(ctx, d.Number)
	if err != nil {
		return nil, err
	}
	w := b.Worker(d.Number)
	for i, ball := range balls {
		err := w.Carve(i, ball, func(leaf []uint32) error {
			slices.Sort(leaf)
			order = append(order, leaf...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return order, nil
}

// codesOf returns the codes of rows that lie one after the other.
func (d *Division) codesOf(rows []byte, threads int) (*codes.Matrix, error) {
	size := d.Space.RowBytes()
	r, err := vectors.RowsOf(rows, len(rows)/size, d.Space.Dim(), size, d.Space.Type())
	if err != nil {
		return nil, fmt.Errorf("groups: %w", err)
	}
	m, err := codes.Of(r, d.Space, d.Rounding, threads)
	if err != nil {
		return nil, fmt.Errorf("groups: %w", err)
	}
	return m, nil
}

func rowSize(r *vectors.Rows) int { return r.Dim() * r.Type().Size() }
