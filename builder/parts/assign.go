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
	"github.com/knng/knng/builder/pages"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
)

// Division says how rows are divided.
type Division struct {
	Rows     *vectors.Rows // read in order, but for the leaders
	Space    *distance.Space
	Rounding codes.Rounding
	Seed     uint64
	Number   uint32
	Overlap  int // leaves that a row stands in
	Leaders  int // at most MaxLeaders

	GroupBytes int64 // memory of a group
	RowBytes   int64 // memory of one of its rows

	Threads  int
	Memory   *pages.Ledger  // for 2*Overlap bytes a row
	Progress func(rows int) // may be nil
}

// MaxLeaders bounds the leaders of a division: their numbers have 16 bits.
const MaxLeaders = math.MaxUint16

// leafRows is how many rows a leaf has on average, of a million rows or more; of fewer
// the square root. A leaf costs the square of its rows, and twice the rows do not meet
// twice the neighbors; smaller leaves need more divisions, which are more to read, to
// write and to unite.
const leafRows = 1000

// Leaders is how many leaders give n rows leaves of that size, or of four times the
// length k of a list where that is more, as far as there may be so many.
func Leaders(n, k, overlap int) int {
	rows := max(min(leafRows, math.Sqrt(float64(n))), float64(4*k))
	return max(1, min(n, MaxLeaders, int(float64(overlap)*float64(n)/rows)))
}

// Divide assigns every row to its leaves.
func Divide(ctx context.Context, d Division) (*Leaves, error) {
	leaders, err := d.lead(ctx)
	if err != nil {
		return nil, err
	}
	d.Overlap = min(d.Overlap, d.Leaders)
	l := &Leaves{Division: d}
	if l.assigned, err = pages.Take[uint16](d.Memory, d.Rows.Len()*d.Overlap); err != nil {
		return nil, err
	}
	if err := l.assign(ctx, leaders); err != nil {
		l.Free()
		return nil, err
	}
	l.group()
	return l, nil
}

// leaders are the leaders of a division on two levels: heads, and around each head a
// cell of those nearest to it. A row is compared with the heads, and with the leaders
// in the cells of the nearest of these.
type leaders struct {
	rows  []byte // of the leaders, cell after cell, then of the heads
	cells []int  // cell c has leaders cells[c] to cells[c+1]-1
}

func (l *leaders) heads() int { return len(l.cells) - 1 }

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
	return d.cells(drawn, pick(heads, order, size))
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
func (d *Division) cells(drawn, heads []byte) (*leaders, error) {
	size := rowSize(d.Rows)
	m, err := d.codesOf(append(slices.Clone(heads), drawn...), d.Threads)
	if err != nil {
		return nil, err
	}
	count := len(heads) / size
	l := &leaders{cells: make([]int, count+1)}
	w := assigner{Leaves: &Leaves{Division: *d}}
	w.number(m.Len())
	nearest := w.nearestOf(m, w.numbers[:count], w.numbers[count:m.Len()], 1)
	order := slices.Clone(w.numbers[:d.Leaders])
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(nearest[a], nearest[b]) })
	for _, head := range nearest {
		l.cells[head+1]++
	}
	for c := range count {
		l.cells[c+1] += l.cells[c]
	}
	l.rows = append(pick(drawn, order, size), heads...)
	return l, nil
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

// assignBytes is about the memory of the rows that a goroutine takes at a time: many
// beside the leaders, whose codes are made again for each, and little memory.
const assignBytes = 16 << 20

// assignRow is what a row takes beside its elements: what is near, which cells it looks
// into, and its sum.
const assignRow = 16*nearHeads + 32

// assign writes the leaves of every row.
func (l *Leaves) assign(ctx context.Context, by *leaders) error {
	chunk := max(1024, assignBytes/(rowSize(l.Rows)+l.Rows.Dim()+assignRow))
	return vectors.Ranges(l.Threads, l.Rows.Len(), chunk, func() func(from, to int) error {
		w := &assigner{Leaves: l, by: by, rows: slices.Clone(by.rows)}
		return func(from, to int) error {
			if err := w.assign(from, to); err != nil {
				return err
			}
			if l.Progress != nil {
				l.Progress(to - from)
			}
			return ctx.Err()
		}
	})
}

// assigner is one goroutine's tools.
type assigner struct {
	*Leaves
	by      *leaders
	rows    []byte // leaders and heads, then the rows at hand
	numbers []uint32
	best    []uint64
	inCell  [][]uint32 // rows at hand that look into each cell
}

// number makes sure of numbers 0 to n-1.
func (w *assigner) number(n int) {
	for len(w.numbers) < n {
		w.numbers = append(w.numbers, uint32(len(w.numbers)))
	}
}

func (w *assigner) assign(from, to int) error {
	w.rows = w.rows[:len(w.by.rows)]
	for i := from; i < to; i++ {
		w.rows = append(w.rows, w.Rows.Row(i)...)
	}
	_ = w.Rows.WillNeed(to, to+w.Threads*(to-from)) // while these are compared
	m, err := w.codesOf(w.rows, 1)
	if err != nil {
		return err
	}
	w.number(m.Len())
	heads := w.numbers[w.Leaders : w.Leaders+w.by.heads()]
	rows := w.numbers[w.Leaders+w.by.heads() : m.Len()]
	w.look(w.nearestOf(m, heads, rows, min(nearHeads, len(heads))), len(heads))
	w.reset(len(rows) * w.Overlap)
	tile := m.NewTile()
	for c, here := range w.inCell {
		if cell := w.numbers[w.by.cells[c]:w.by.cells[c+1]]; len(cell) > 0 {
			w.compare(tile, cell, rows, here, w.Overlap)
		}
	}
	for i := range rows {
		w.settle(m, rows[i], w.nearest(uint32(i), w.Overlap))
		for j, e := range w.nearest(uint32(i), w.Overlap) {
			w.assigned.Slice[(from+i)*w.Overlap+j] = uint16(uint32(e) >> 1)
		}
	}
	return nil
}

// look notes which rows look into which cell.
func (w *assigner) look(cells []uint32, heads int) {
	per := min(nearHeads, heads)
	w.inCell = append(w.inCell, make([][]uint32, heads-len(w.inCell))...)
	for c := range w.inCell {
		w.inCell[c] = w.inCell[c][:0]
	}
	for at, c := range cells {
		w.inCell[c] = append(w.inCell[c], uint32(at/per))
	}
}

// nearestOf lists the numbers, within columns, of the count columns nearest to each of
// rows, nearest first.
func (w *assigner) nearestOf(m *codes.Matrix, columns, rows []uint32, count int) []uint32 {
	w.reset(len(rows) * count)
	w.compare(m.NewTile(), columns, rows, w.numbers[:len(rows)], count)
	found := make([]uint32, 0, len(rows)*count)
	for i := range rows {
		for _, e := range w.nearest(uint32(i), count) {
			found = append(found, uint32(e)>>1-columns[0])
		}
	}
	return found
}

// columnBlock is how many columns are compared with all rows before the next: their
// codes stay in a second-level cache.
const columnBlock = 2048

// compare compares some of rows, those numbered here, with columns, which are
// consecutive rows of the matrix, and notes the count nearest to each.
func (w *assigner) compare(tile *codes.Tile, columns, rows, here []uint32, count int) {
	var band [codes.BandRows]uint32
	for block := range slices.Chunk(columns, columnBlock) {
		tile.Columns(block, nil)
		for some := range slices.Chunk(here, codes.BandRows) {
			for r, i := range some {
				band[r] = rows[i]
			}
			tile.Rows(band[:len(some)], len(block))
			for r, i := range some {
				nearer(tile, r, w.nearest(i, count))
			}
		}
	}
}

// reset forgets what is near, and makes room for kernels to look past it.
func (w *assigner) reset(entries int) {
	if len(w.best) < entries+8 {
		w.best = make([]uint64, entries+8)
	}
	for i := range w.best {
		w.best[i] = math.MaxUint64
	}
}

// nearest is what is known of the columns nearest to row i of those at hand.
func (w *assigner) nearest(i uint32, count int) []uint64 {
	return w.best[int(i)*count : (int(i)+1)*count]
}

// nearer takes note of the columns in the tile that are nearer to row r of the band.
func nearer(tile *codes.Tile, r int, best []uint64) {
	bound := uint32(best[len(best)-1] >> 32)
	if bound == math.MaxUint32 {
		bound = tile.Bound(r, len(best))
	}
	if distances, ids := tile.Within(r, bound); len(ids) > 0 {
		tile.Merge(best, distances, ids, math.MaxUint32)
	}
}

// settle finds leaders for a row whose cells had too few.
func (w *assigner) settle(m *codes.Matrix, row uint32, best []uint64) {
	if best[len(best)-1] != math.MaxUint64 {
		return
	}
	all := assigner{Leaves: w.Leaves, numbers: w.numbers}
	all.reset(len(best))
	all.compare(m.NewTile(), w.numbers[:w.Leaders], []uint32{row}, w.numbers[:1], len(best))
	copy(best, all.best)
}
