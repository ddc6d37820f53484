package parts

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

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

// Leaders is how many leaders make comparing n rows with them cost what comparing
// them in their leaves costs: with p of them leaves have overlap*n/p rows, of which
// a row meets overlap times as many.
func Leaders(n, overlap int) int {
	return max(1, min(n, MaxLeaders, int(float64(overlap)*math.Sqrt(float64(n)))))
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

// lead draws the leaders, one of each stretch of rows, and puts near ones side by
// side. It returns their rows, one after the other.
func (d *Division) lead(ctx context.Context) ([]byte, error) {
	n, size := d.Rows.Len(), rowSize(d.Rows)
	rng := rand.New(rand.NewPCG(lot.Mix(d.Seed^lot.Mix(uint64(d.Number))), uint64(n)))
	drawn := make([]byte, 0, d.Leaders*size)
	for i := range d.Leaders {
		lo, hi := i*n/d.Leaders, (i+1)*n/d.Leaders
		drawn = append(drawn, d.Rows.Row(lo+rng.IntN(hi-lo))...)
	}
	order, err := d.chain(ctx, drawn)
	if err != nil {
		return nil, err
	}
	near := make([]byte, 0, len(drawn))
	for _, i := range order {
		near = append(near, drawn[int(i)*size:(int(i)+1)*size]...)
	}
	return near, nil
}

// chainLeaf is how many leaders are left unordered among themselves: a group takes
// more of them together.
const chainLeaf = 16

// chain is the locality order of the leaders.
func (d *Division) chain(ctx context.Context, leaders []byte) (order []uint32, err error) {
	m, err := d.codesOf(leaders, d.Threads)
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

// assignBytes is about the rows that a goroutine takes at a time: many beside the
// leaders, whose codes are made again for each, and little memory.
const assignBytes = 4 << 20

// assign writes the leaves of every row.
func (l *Leaves) assign(ctx context.Context, leaders []byte) error {
	chunk := max(1024, assignBytes/rowSize(l.Rows))
	return vectors.Ranges(l.Threads, l.Rows.Len(), chunk, func() func(from, to int) error {
		w := &assigner{Leaves: l, leaders: len(leaders) / rowSize(l.Rows), rows: append([]byte(nil), leaders...)}
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
	leaders int
	rows    []byte // the leaders, then the rows at hand
	numbers []uint32
	best    []uint64 // room for each row's nearest, and for kernels to look past them
}

// leaderBlock is how many leaders are compared with all rows at hand before the
// next: their codes stay in a second-level cache.
const leaderBlock = 2048

func (w *assigner) assign(from, to int) error {
	w.rows = w.rows[:w.leaders*rowSize(w.Rows)]
	for i := from; i < to; i++ {
		w.rows = append(w.rows, w.Rows.Row(i)...)
	}
	m, err := w.codesOf(w.rows, 1)
	if err != nil {
		return err
	}
	for len(w.numbers) < m.Len() {
		w.numbers = append(w.numbers, uint32(len(w.numbers)))
	}
	w.reset(to - from)
	tile := m.NewTile()
	for first := 0; first < w.leaders; first += leaderBlock {
		block := w.numbers[first:min(first+leaderBlock, w.leaders)]
		tile.Columns(block, nil)
		for i := 0; i < to-from; i += codes.BandRows {
			band := w.numbers[w.leaders+i : w.leaders+min(i+codes.BandRows, to-from)]
			tile.Rows(band, len(block))
			for r := range band {
				w.nearer(tile, r, w.nearest(i+r))
			}
		}
	}
	for i := range to - from {
		for j, e := range w.nearest(i) {
			w.assigned.Slice[(from+i)*w.Overlap+j] = uint16(uint32(e) >> 1)
		}
	}
	return nil
}

func (w *assigner) reset(rows int) {
	if need := rows*w.Overlap + 8; len(w.best) < need {
		w.best = make([]uint64, need)
	}
	for i := range w.best {
		w.best[i] = math.MaxUint64
	}
}

// nearest is what is known of the leaders nearest to row i of those at hand.
func (w *assigner) nearest(i int) []uint64 {
	return w.best[i*w.Overlap : (i+1)*w.Overlap]
}

// nearer takes note of the leaders in the tile that are nearer to row r of the band.
func (w *assigner) nearer(tile *codes.Tile, r int, best []uint64) {
	bound := uint32(best[len(best)-1] >> 32)
	if bound == math.MaxUint32 {
		bound = tile.Bound(r, len(best))
	}
	if distances, ids := tile.Within(r, bound); len(ids) > 0 {
		tile.Merge(best, distances, ids, math.MaxUint32)
	}
}
