package leaves

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// Order returns a locality order of rows: the leaves of a division of their codes, ball after
// ball.
func Order(ctx context.Context, b *division.Balls, progress func(int)) ([]uint32, error) {
	balls, _, err := b.Root(ctx, 0)
	if err != nil {
		return nil, err
	}
	orders := make([][]uint32, len(balls))
	err = EachBall(b, 0, balls, func() ballWork {
		return func(w *division.BallWorker, i int) error {
			defer progress(len(balls[i]))
			return w.Carve(i, balls[i], func(leaf []uint32) error {
				slices.Sort(leaf)
				orders[i] = append(orders[i], leaf...)
				return ctx.Err()
			})
		}
	})
	return slices.Concat(orders...), err
}

type ballWork func(w *division.BallWorker, ball int) error

// largeBall is the size of a large ball, as a multiple of the mean. The root of a large division
// has 240 balls, so that the last ball of a thread is at most a sixtieth of it.
const largeBall = 4

// EachBall calls the balls of a division in an order in which near balls follow each other, so that a thread
// meets lists that it has just written. Large balls come first, so that no thread finishes long after the
// others.
func EachBall(b *division.Balls, number int, balls [][]uint32, worker func() ballWork) error {
	places := 0
	for _, ball := range balls {
		places += len(ball)
	}
	var order, usual []int
	for i, ball := range balls {
		if len(ball)*len(balls) > largeBall*places {
			order = append(order, i)
		} else {
			usual = append(usual, i)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(len(balls[y]), len(balls[x])) })
	order = append(order, usual...)
	return vectors.Apart(b.Threads, len(order), 1, func() func(from, to int) error {
		w, work := b.Worker(uint32(number)), worker()
		return func(i, _ int) error { return work(w, order[i]) }
	})
}

// Balls solves the leaves of divisions into balls.
type Balls struct {
	Ctx      context.Context
	Codes    *codes.Matrix
	Found    *candidates.Lists
	Ordered  bool           // consecutive places lie near each other
	Progress func(rows int) // called with Work rows in all
	// Settle returns how many leaves a row is in, at least two, after stretches were compared; nil: the
	// number that was asked for.
	Settle func() (leaves int, err error)
	Part   []uint16     // of every place: only rows of different parts are compared; nil: all
	pairs  atomic.Int64 // compared
}

// leadersWorth is the number of leaves that take as long for a row as finding its balls, stretchWorth as long
// as its stretch, whose lists are empty. For 1,000,000 SIFT descriptors these take 1.0 and 0.5 s of processor
// time, a leaf 0.27 s.
const leadersWorth, stretchWorth = 3, 2

// Work returns the number of rows that a division of n reports as progress: those of every leaf, and those
// that have found their balls, weighted by their times.
func (l *Balls) Work(b *division.Balls, number uint32) int64 {
	work := leadersWorth + b.Overlap
	if l.stretches(b, number) {
		work += stretchWorth - 1
	}
	return int64(l.Codes.Len()) * int64(work)
}

// stretches reports whether one of the leaves of a row is its stretch of the order.
func (l *Balls) stretches(b *division.Balls, number uint32) bool {
	return number == 1 && b.Overlap > 1 && l.Ordered
}

// Solve solves the leaves of a division as they are carved, and returns the number of pairs compared,
// including those with leaders. In the first division one of the leaves of a row is its stretch of the order.
func (l *Balls) Solve(b *division.Balls, number uint32) (int64, error) {
	if l.stretches(b, number) {
		if err := l.solveStretches(b.LeafSize, b.Threads); err != nil {
			return 0, err
		}
		b.Overlap--
		if l.Settle != nil {
			leaves, err := l.Settle()
			if err != nil {
				return 0, err
			}
			b.Overlap = leaves - 1
		}
	}
	room := offheap.Make[uint32](l.Codes.Len() * b.Overlap)
	defer room.Free()
	b.Room, b.Progress = room.Slice, func(places int) { l.Progress(leadersWorth * places) }
	balls, compared, err := b.Root(l.Ctx, number)
	if err != nil {
		return 0, err
	}
	l.pairs.Add(compared)
	err = EachBall(b, int(number), balls, func() ballWork {
		leaves := NewTile(l.Codes, l.Found)
		return func(w *division.BallWorker, i int) error {
			w.Compared = 0
			defer l.Progress(len(balls[i]))
			err := w.Carve(i, balls[i], func(leaf []uint32) error {
				w.Compared += l.solve(leaves, leaf)
				return l.Ctx.Err()
			})
			l.pairs.Add(w.Compared)
			return err
		}
	})
	return l.pairs.Load(), err
}

// solve solves one leaf, and returns the number of pairs compared.
func (l *Balls) solve(t *Tile, leaf []uint32) int64 {
	if l.Part != nil {
		return t.Across(leaf, l.Part)
	}
	t.Solve(leaf)
	return int64(len(leaf)) * int64(len(leaf)-1) / 2
}

// stretchesAtOnce is the number of stretches that a goroutine takes at a time.
const stretchesAtOnce = 4

// solveStretches solves stretches of the order as leaves of at most size places. They need no leaders, are
// contiguous in memory, and leave lists with bounds: with three balls in addition, SIFT (300,000) and GIST
// reach recall 0.615 and 0.621 in 0.55 and 0.13 s, with four balls and no stretches 0.615 and 0.622 in 0.64
// and 0.15 s. Stretches of half the length give 0.585, longer ones cost more.
func (l *Balls) solveStretches(size, threads int) error {
	n := l.Codes.Len()
	count := (n + size - 1) / size
	return vectors.Apart(threads, count, stretchesAtOnce, func() func(from, to int) error {
		leaves, leaf := NewTile(l.Codes, l.Found), make([]uint32, 0, size)
		return func(from, to int) error {
			for i := from; i < to; i++ {
				leaf = leaf[:0]
				for place := i * n / count; place < (i+1)*n/count; place++ {
					leaf = append(leaf, uint32(place))
				}
				l.pairs.Add(l.solve(leaves, leaf))
				l.Progress(stretchWorth * len(leaf))
			}
			return l.Ctx.Err()
		}
	})
}
