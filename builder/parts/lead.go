package parts

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/lot"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// leaders are the leaders of a division on two levels: heads, and around each head a
// cell of those nearest to it. A row is compared with the heads, and with the leaders
// in the cells of the nearest of these. All goroutines read the same ones: of a billion
// rows they are four million.
type leaders struct {
	heads *codes.Matrix
	codes *codes.Matrix // of the leaders, cell after cell
	cells []int         // cell c has leaders cells[c] to cells[c+1]-1
}

// nearHeads is how many cells a row looks into. A leader that it misses there costs
// little: the one taken instead is nearly as near.
const nearHeads = 8

// headsOf is how many heads make comparing with them cost as much as comparing with the
// leaders in the nearest cells.
func headsOf(leaders int) int {
	return max(1, min(leaders, int(math.Sqrt(float64(nearHeads*leaders)))))
}

// lead draws the leaders, one of each stretch of rows, and of them the heads. Near
// heads stand side by side.
func (d *Division) lead(ctx context.Context) (*leaders, error) {
	n, size := d.Rows.Len(), rowSize(d.Rows)
	rng := rand.New(rand.NewPCG(lot.Mix(d.Seed^lot.Mix(uint64(d.Number))), uint64(n)))
	which := make([]int, d.Leaders)
	for i := range which {
		lo, hi := i*n/d.Leaders, (i+1)*n/d.Leaders
		which[i] = lo + rng.IntN(hi-lo)
	}
	drawn := d.draw(which)
	heads := make([]byte, 0, headsOf(d.Leaders)*size)
	for i := range headsOf(d.Leaders) {
		at := i * d.Leaders / headsOf(d.Leaders) * size
		heads = append(heads, drawn[at:at+size]...)
	}
	order, err := d.chain(ctx, heads)
	if err != nil {
		return nil, err
	}
	return d.cells(ctx, drawn, pick(heads, order, size))
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

// cells sorts leaders by the head that is nearest to each.
func (d *Division) cells(ctx context.Context, drawn, heads []byte) (*leaders, error) {
	all, err := d.codesOf(drawn, d.Threads)
	if err != nil {
		return nil, err
	}
	l := &leaders{}
	if l.heads, err = d.codesOf(heads, d.Threads); err != nil {
		return nil, err
	}
	order := numbers(all.Len())
	var near nearby
	near.reset(all, 1)
	columns := numbers(l.heads.Len())
	err = vectors.Ranges(d.Threads, len(order), 4096, func() func(from, to int) error {
		tile := l.heads.NewTile()
		return func(from, to int) error {
			near.compare(tile, columns, order[from:to])
			return ctx.Err()
		}
	})
	if err != nil {
		return nil, err
	}
	l.cells = make([]int, l.heads.Len()+1)
	for i := range order {
		l.cells[column(near.of(uint32(i))[0])+1]++
	}
	for c := range l.heads.Len() {
		l.cells[c+1] += l.cells[c]
	}
	slices.SortStableFunc(order, func(a, b uint32) int {
		return cmp.Compare(column(near.of(a)[0]), column(near.of(b)[0]))
	})
	l.codes, err = d.codesOf(pick(drawn, order, rowSize(d.Rows)), d.Threads)
	return l, err
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
