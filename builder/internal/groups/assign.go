package groups

import (
	"context"
	"errors"
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
	Keep     string          // file in which Divide keeps the leaves of rows for a process that goes on; "": none
	Progress func(rows int)  // may be nil
	Earlier  func(rows int)  // is told of rows whose leaves were kept; may be nil
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
	d.Overlap = min(d.Overlap, d.Leaders)
	l := &Leaves{Division: d}
	err := l.lookUp(ctx)
	if err == nil {
		err = l.group(ctx)
	}
	if err != nil {
		l.Free()
		return nil, err
	}
	return l, nil
}

// lookUp finds the leaves of every row that no earlier process kept.
func (l *Leaves) lookUp(ctx context.Context) (err error) {
	k, err := openKept(&l.Division)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.close()) }()
	if l.assigned, err = k.take(); err != nil {
		return err
	}
	if k.whole() {
		tell(l.Earlier, l.Rows.Len())
		return nil
	}
	cells, err := l.lead(ctx)
	if err != nil {
		return err
	}
	return l.assign(ctx, cells, k)
}

// assign writes the leaves of every row whose chunk is not kept.
func (l *Leaves) assign(ctx context.Context, cells *division.Cells, k *kept) error {
	chunk := l.chunk(cells)
	if err := k.begin(chunk); err != nil {
		return err
	}
	return vectors.Ranges(l.Threads, l.Rows.Len(), chunk, func() func(from, to int) error {
		assign := l.assigner(ctx, cells, min(chunk, l.Rows.Len()), l.take)
		return func(from, to int) error {
			i := from / chunk
			if k.done[i] {
				tell(l.Earlier, to-from)
				return nil
			}
			if err := assign(from, to, l.assigned.Slice[from*l.Overlap:to*l.Overlap]); err != nil {
				return err
			}
			return k.put(i)
		}
	})
}

// Assign writes the numbers of the leaders that each of n rows follows, Overlap of them a
// row. read fills room with rows from up to to, by several goroutines at once.
func (d *Division) Assign(ctx context.Context, cells *division.Cells, n int, read func(from, to int, room []byte) error, assigned []uint32) error {
	chunk := min(d.chunk(cells), n)
	return vectors.Ranges(d.Threads, n, max(1, chunk), func() func(from, to int) error {
		assign := d.assigner(ctx, cells, chunk, read)
		return func(from, to int) error { return assign(from, to, assigned[from*d.Overlap:to*d.Overlap]) }
	})
}

// chunk is how many rows a goroutine assigns at a time.
func (d *Division) chunk(cells *division.Cells) int {
	return cells.Together(d.Space.RowBytes() + d.Space.Dim())
}

// assigner assigns rows from up to to, at most chunk at a time, for one goroutine.
func (d *Division) assigner(ctx context.Context, cells *division.Cells, chunk int, read func(from, to int, room []byte) error) func(from, to int, assigned []uint32) error {
	follower, size := cells.Follower(d.Overlap), d.Space.RowBytes()
	room := make([]byte, chunk*size)
	return func(from, to int, assigned []uint32) error {
		if err := read(from, to, room[:(to-from)*size]); err != nil {
			return err
		}
		rows, err := d.codesOf(room[:(to-from)*size], 1)
		if err != nil {
			return err
		}
		follower.Follow(division.All(rows), assigned)
		tell(d.Progress, to-from)
		return ctx.Err()
	}
}

// tell reports rows to one who may not be there.
func tell(whom func(rows int), rows int) {
	if whom != nil {
		whom(rows)
	}
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
