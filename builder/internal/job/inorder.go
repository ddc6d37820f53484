package job

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// batchRows is the number of lists that are gathered at a time: some hundred kilobytes.
const batchRows = 1024

// maxFillers is the most threads that gather. Gathering takes a few times as long as writing, and every batch
// in progress takes memory.
const maxFillers = 3

// InOrder passes the lists of rows 0 to n-1 to use, batch after batch, in order. fill
// appends the lists of a range to an empty batch; several threads fill at a time, because
// gathering lists from all over memory takes longer than writing them. use may not keep
// the batch.
func (j *Job) InOrder(ctx context.Context, n int, fill func(from, to int, l *store.Lists), use func(l *store.Lists) error) error {
	items := (n + batchRows - 1) / batchRows
	one := func(i int, l *store.Lists) {
		l.Reset()
		fill(i*batchRows, min((i+1)*batchRows, n), l)
	}
	if j.Threads > 1 {
		return ahead(ctx, min(j.Threads, maxFillers), items, one, use)
	}
	var l store.Lists
	for i := range items {
		one(i, &l)
		if err := use(&l); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// ahead is InOrder on several threads, with a few batches that are reused. A thread with an empty batch takes
// the next number, so the numbers in progress are consecutive, and each has a slot of its own.
func ahead(ctx context.Context, threads, items int, fill func(i int, l *store.Lists), use func(l *store.Lists) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	empty := make(chan *store.Lists, threads+1)
	full := make([]chan *store.Lists, cap(empty))
	for i := range full {
		empty <- new(store.Lists)
		full[i] = make(chan *store.Lists, 1)
	}
	var next atomic.Int64
	var g sync.WaitGroup
	defer g.Wait()
	defer cancel(nil)
	work := func() error {
		for {
			select {
			case l := <-empty:
				i := int(next.Add(1)) - 1
				if i >= items {
					return nil
				}
				fill(i, l)
				full[i%len(full)] <- l
			case <-ctx.Done():
				return nil
			}
		}
	}
	for range threads {
		g.Go(func() {
			if err := vectors.Guard(work); err != nil { // lists, and what orders them, may stand in a file
				cancel(err)
			}
		})
	}
	for i := range items {
		select {
		case l := <-full[i%len(full)]:
			if err := use(l); err != nil {
				return err
			}
			empty <- l
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// Async runs do in a goroutine and returns a function that waits for its error. That may
// be called more than once.
func Async(do func() error) (wait func() error) {
	done := make(chan error, 1)
	go func() { done <- vectors.Guard(do) }()
	return sync.OnceValue(func() error { return <-done })
}

// FoldLists writes the lists of all positions, as fill appends them, as the fold of a
// stage. A cancelled context does not stop it: it takes a second and keeps the work of
// many.
func (j *Job) FoldLists(stage uint32, n int, fill func(from, to int, l *store.Lists)) error {
	p := j.Begin("fold", "rows", int64(n))
	defer p.End("")
	packed := func(from, to int, l *store.Lists) {
		fill(from, to, l)
		l.Pack()
	}
	return j.Draft.Fold(stage, func(add func(*store.Lists) error) error {
		return j.InOrder(context.WithoutCancel(j.Ctx), n, packed, func(l *store.Lists) error {
			p.Add(len(l.Rows))
			return add(l)
		})
	})
}

// ErrPosition is the error for a position that is out of range because the disk is damaged.
func ErrPosition(place uint32, n int) error {
	return fmt.Errorf("%w: place %d in a block, want below %d", store.ErrCorrupt, place, n)
}
