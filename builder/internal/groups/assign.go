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

// Division describes how rows are divided.
type Division struct {
	Rows     *vectors.Rows // read in order, except for the leaders
	Space    *distance.Space
	Rounding codes.Rounding
	Seed     uint64
	Number   uint32
	Overlap  int // leaves of a row
	Leaders  int // fewer than 2^31

	GroupBytes int64 // memory of a group
	RowBytes   int64 // memory of one of its rows

	Threads  int
	Memory   *offheap.Ledger // for 4*Overlap bytes a row, and for spills
	Keep     string          // file in which Divide keeps the leaves of rows for a resumed process; "": none
	Progress func(rows int)  // may be nil
	Earlier  func(rows int)  // is called with rows whose leaves were kept; may be nil
}

// leafRows is the average size of a leaf if there are at least a million rows; with fewer it is their square
// root. Wrong if larger: a leaf costs the square of its rows, and twice the rows do not meet twice the
// neighbors. Wrong if smaller: more divisions are needed, which read, write and merge more.
const leafRows = 1000

// Leaders returns the number of leaders for which n rows have leaves of that size, or of 4k, for lists of
// length k, if that is more.
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

// assign finds the leaves of every row whose chunk is not kept.
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

// Assign writes the leaders that each of n rows follows to assigned, Overlap of them per row. read fills room
// with rows from up to to; several goroutines call it.
func (d *Division) Assign(ctx context.Context, cells *division.Cells, n int, read func(from, to int, room []byte) error, assigned []uint32) error {
	chunk := min(d.chunk(cells), n)
	return vectors.Ranges(d.Threads, n, max(1, chunk), func() func(from, to int) error {
		assign := d.assigner(ctx, cells, chunk, read)
		return func(from, to int) error { return assign(from, to, assigned[from*d.Overlap:to*d.Overlap]) }
	})
}

// chunk returns the number of rows that a goroutine assigns at a time.
func (d *Division) chunk(cells *division.Cells) int {
	return cells.Together(d.Space.RowBytes() + d.Space.Dim())
}

// assigner returns one goroutine's function that assigns rows from up to to, at most chunk at a time.
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

// tell calls whom with rows unless whom is nil.
func tell(whom func(rows int), rows int) {
	if whom != nil {
		whom(rows)
	}
}

// take copies rows into room, since the system may drop their pages before they have been compared, and asks
// for the pages of the next rows.
func (l *Leaves) take(from, to int, room []byte) error {
	size := rowSize(l.Rows)
	for i := from; i < to; i++ {
		copy(room[(i-from)*size:], l.Rows.Row(i))
	}
	_ = l.Rows.WillNeed(to, to+l.Threads*(to-from))
	return nil
}
