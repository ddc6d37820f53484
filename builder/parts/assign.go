package parts

import (
	"context"
	"math"
	"slices"

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
	Leaders  int // fewer than 2^31

	GroupBytes int64 // memory of a group
	RowBytes   int64 // memory of one of its rows

	Threads  int
	Memory   *pages.Ledger  // for 4*Overlap bytes a row, and for spills
	Progress func(rows int) // may be nil
}

// leafRows is how many rows a leaf has on average, of a million rows or more; of fewer
// the square root. A leaf costs the square of its rows, and twice the rows do not meet
// twice the neighbors; smaller leaves need more divisions, which are more to read, to
// write and to unite.
const leafRows = 1000

// Leaders is how many leaders give n rows leaves of that size, or of four times the
// length k of a list where that is more.
func Leaders(n, k, overlap int) int {
	rows := max(min(leafRows, math.Sqrt(float64(n))), float64(4*k))
	return max(1, min(n, int(float64(overlap)*float64(n)/rows)))
}

// Divide assigns every row to its leaves.
func Divide(ctx context.Context, d Division) (*Leaves, error) {
	leaders, err := d.lead(ctx)
	if err != nil {
		return nil, err
	}
	d.Overlap = min(d.Overlap, d.Leaders)
	l := &Leaves{Division: d}
	if l.assigned, err = pages.Take[uint32](d.Memory, d.Rows.Len()*d.Overlap); err != nil {
		return nil, err
	}
	if err := l.assign(ctx, leaders); err != nil {
		l.Free()
		return nil, err
	}
	l.group()
	return l, nil
}

// assignBytes is about the memory of the rows that a goroutine takes at a time: many
// beside the leaders, which are read through for each.
const assignBytes = 16 << 20

// assignRow is what a row takes beside its elements: what is near, which cells it looks
// into, and its sum.
const assignRow = 16*nearHeads + 32

// assign writes the leaves of every row.
func (l *Leaves) assign(ctx context.Context, by *leaders) error {
	chunk := max(64, assignBytes/(rowSize(l.Rows)+l.Rows.Dim()+assignRow))
	all := numbers(max(l.Leaders, min(chunk, l.Rows.Len())))
	return vectors.Ranges(l.Threads, l.Rows.Len(), chunk, func() func(from, to int) error {
		w := &assigner{Leaves: l, by: by, numbers: all, heads: by.heads.NewTile(), leaders: by.codes.NewTile(),
			ends: make([]uint32, by.heads.Len()+1)}
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
	numbers []uint32 // 0, 1, ... of leaders and of rows at hand
	heads   *codes.Tile
	leaders *codes.Tile
	rows    []byte // at hand
	near    nearby
	looking []uint32 // rows at hand that look into cells, cell after cell
	ends    []uint32 // of the cells in looking
}

func (w *assigner) assign(from, to int) error {
	rows, err := w.take(from, to)
	if err != nil {
		return err
	}
	w.look(rows)
	w.near.reset(rows, w.Overlap)
	begin := uint32(0)
	for c, end := range w.ends[:w.by.heads.Len()] {
		w.near.compare(w.leaders, w.numbers[w.by.cells[c]:w.by.cells[c+1]], w.looking[begin:end])
		begin = end
	}
	for i := range rows.Len() {
		for j, e := range w.settled(uint32(i)) {
			w.assigned.Slice[(from+i)*w.Overlap+j] = column(e)
		}
	}
	return nil
}

// take copies rows, which the system may want the pages of before they have been
// compared, asks for those that come after them, and returns their codes.
func (w *assigner) take(from, to int) (*codes.Matrix, error) {
	w.rows = w.rows[:0]
	for i := from; i < to; i++ {
		w.rows = append(w.rows, w.Rows.Row(i)...)
	}
	_ = w.Rows.WillNeed(to, to+w.Threads*(to-from))
	return w.codesOf(w.rows, 1)
}

// look notes which rows look into which cell.
func (w *assigner) look(rows *codes.Matrix) {
	heads := w.by.heads.Len()
	w.near.reset(rows, min(nearHeads, heads))
	w.near.compare(w.heads, w.numbers[:heads], w.numbers[:rows.Len()])
	found := w.near.entries[:rows.Len()*w.near.count]
	clear(w.ends)
	for _, e := range found {
		w.ends[column(e)+1]++
	}
	for c := range heads {
		w.ends[c+1] += w.ends[c]
	}
	w.looking = slices.Grow(w.looking[:0], len(found))[:len(found)]
	for i, e := range found { // what was the beginning of a cell becomes its end
		w.looking[w.ends[column(e)]] = uint32(i / w.near.count)
		w.ends[column(e)]++
	}
}

// settled is the leaders nearest to a row, all of them looked at where its cells had too
// few.
func (w *assigner) settled(i uint32) []uint64 {
	best := w.near.of(i)
	if best[len(best)-1] == none {
		for j := range best {
			best[j] = none
		}
		w.near.compare(w.leaders, w.numbers[:w.Leaders], []uint32{i})
	}
	return best
}
