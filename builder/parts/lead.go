package parts

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/lot"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// lead draws the leaders, one of each stretch of rows, and of them the heads. Near
// heads stand side by side.
func (d *Division) lead(ctx context.Context) (*division.Cells, error) {
	n, size := d.Rows.Len(), rowSize(d.Rows)
	rng := rand.New(rand.NewPCG(lot.Mix(d.Seed^lot.Mix(uint64(d.Number))), uint64(n)))
	which := make([]int, d.Leaders)
	for i := range which {
		lo, hi := i*n/d.Leaders, (i+1)*n/d.Leaders
		which[i] = lo + rng.IntN(hi-lo)
	}
	drawn := d.draw(which)
	count := division.HeadsOf(d.Leaders)
	heads := make([]byte, 0, count*size)
	for i := range count {
		at := i * d.Leaders / count * size
		heads = append(heads, drawn[at:at+size]...)
	}
	order, err := d.chain(ctx, heads)
	if err != nil {
		return nil, err
	}
	headCodes, err := d.codesOf(pick(heads, order, size), d.Threads)
	if err != nil {
		return nil, err
	}
	codes, err := d.codesOf(drawn, d.Threads)
	if err != nil {
		return nil, err
	}
	return division.NewCells(ctx, division.All(headCodes), division.All(codes), d.Threads)
}

// draw gathers rows that lie far from each other, and reads no others: what the
// system would read around each comes to all rows.
func (d *Division) draw(which []int) []byte {
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

// pick gathers rows.
func pick(rows []byte, which []uint32, size int) []byte {
	picked := make([]byte, 0, len(which)*size)
	for _, i := range which {
		picked = append(picked, rows[int(i)*size:(int(i)+1)*size]...)
	}
	return picked
}

// chainLeaf is how many heads are left unordered among themselves: a group takes more
// of them together.
const chainLeaf = 16

// chain is the locality order of rows.
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

// codesOf is the codes of rows that stand one after the other.
func (d *Division) codesOf(rows []byte, threads int) (*codes.Matrix, error) {
	size := rowSize(d.Rows)
	r, err := vectors.RowsOf(rows, len(rows)/size, d.Rows.Dim(), size, d.Rows.Type())
	if err != nil {
		return nil, fmt.Errorf("parts: %w", err)
	}
	m, err := codes.Of(r, d.Space, d.Rounding, threads)
	if err != nil {
		return nil, fmt.Errorf("parts: %w", err)
	}
	return m, nil
}

func rowSize(r *vectors.Rows) int { return r.Dim() * r.Type().Size() }
