package groups

import (
	"context"
	"math"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/internal/offheap"
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
	Memory   *offheap.Ledger // for 4*Overlap bytes a row, and for spills
	Progress func(rows int)  // may be nil
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
	cells, err := d.lead(ctx)
	if err != nil {
		return nil, err
	}
	d.Overlap = min(d.Overlap, d.Leaders)
	l := &Leaves{Division: d}
	if l.assigned, err = offheap.Take[uint32](d.Memory, d.Rows.Len()*d.Overlap); err != nil {
		return nil, err
	}
	if err := l.assign(ctx, cells); err != nil {
		l.Free()
		return nil, err
	}
	if err := l.group(ctx); err != nil {
		l.Free()
		return nil, err
	}
	return l, nil
}

// assign writes the leaves of every row.
func (l *Leaves) assign(ctx context.Context, cells *division.Cells) error {
	return l.Assign(ctx, cells, l.Rows.Len(), l.take, l.assigned.Slice)
}

// Assign writes the numbers of the leaders that each of n rows follows, Overlap of them a
// row. read fills room with rows from up to to, by several goroutines at once.
func (d *Division) Assign(ctx context.Context, cells *division.Cells, n int, read func(from, to int, room []byte) error, assigned []uint32) error {
	size := d.Space.RowBytes()
	chunk := cells.Together(size + d.Space.Dim())
	return vectors.Ranges(d.Threads, n, chunk, func() func(from, to int) error {
		follower := cells.Follower(d.Overlap)
		room := make([]byte, min(chunk, n)*size)
		return func(from, to int) error {
			if err := read(from, to, room[:(to-from)*size]); err != nil {
				return err
			}
			rows, err := d.codesOf(room[:(to-from)*size], 1)
			if err != nil {
				return err
			}
			follower.Follow(division.All(rows), assigned[from*d.Overlap:to*d.Overlap])
			if d.Progress != nil {
				d.Progress(to - from)
			}
			return ctx.Err()
		}
	})
}

// take copies rows into room, as the system may want their pages before they have been
// compared, and asks for those that come after them.
func (l *Leaves) take(from, to int, room []byte) error {
	size := rowSize(l.Rows)
	for i := from; i < to; i++ {
		copy(room[(i-from)*size:], l.Rows.Row(i))
	}
	_ = l.Rows.WillNeed(to, to+l.Threads*(to-from))
	return nil
}
