package builder

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// inTurnRows is how many lists are gathered at a time: some hundred kilobytes.
const inTurnRows = 1024

// maxFillers is how many threads gather at the most. Gathering takes some times as
// long as writing, and every batch on its way takes memory.
const maxFillers = 3

// inTurn writes the lists of rows 0 to n-1: fill appends those of a range to an empty
// batch, on some threads side by side, and use gets the batches one after the other, in
// order. Lists are gathered from all over memory, and writing them takes one thread:
// so others have something to do. use may not keep the batch.
func (j *job) inTurn(ctx context.Context, n int, fill func(from, to int, l *store.Lists), use func(l *store.Lists) error) error {
	items := (n + inTurnRows - 1) / inTurnRows
	one := func(i int, l *store.Lists) {
		l.Reset()
		fill(i*inTurnRows, min((i+1)*inTurnRows, n), l)
	}
	if j.threads > 1 {
		return ahead(ctx, min(j.threads, maxFillers), items, one, use)
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

// ahead is inTurn on several threads, with a few batches that go round. Who has an
// empty one takes the next number, so those on their way have numbers in a row, and
// each number its own slot.
func ahead(ctx context.Context, threads, items int, fill func(i int, l *store.Lists), use func(l *store.Lists) error) error {
	ctx, cancel := context.WithCancel(ctx)
	empty := make(chan *store.Lists, threads+1)
	full := make([]chan *store.Lists, cap(empty))
	for i := range full {
		empty <- new(store.Lists)
		full[i] = make(chan *store.Lists, 1)
	}
	var next atomic.Int64
	var g sync.WaitGroup
	defer g.Wait()
	defer cancel()
	for range threads {
		g.Go(func() {
			for {
				select {
				case l := <-empty:
					i := int(next.Add(1)) - 1
					if i >= items {
						return
					}
					fill(i, l)
					full[i%len(full)] <- l
				case <-ctx.Done():
					return
				}
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
			return ctx.Err()
		}
	}
	return nil
}

// meanwhile does something in a goroutine of its own, and returns what waits for it, however
// often.
func meanwhile(do func() error) (wait func() error) {
	done := make(chan error, 1)
	go func() { done <- vectors.Guard(do) }()
	return sync.OnceValue(func() error { return <-done })
}

// foldLists writes the lists of all places, as fill appends them, as the fold of a
// stage. The end of the context does not cut it short: it takes a second and keeps the
// work of many.
func (j *job) foldLists(stage uint32, n int, fill func(from, to int, l *store.Lists)) error {
	p := j.begin("fold", "rows", int64(n))
	defer p.End("")
	return j.draft.Fold(stage, func(add func(*store.Lists) error) error {
		return j.inTurn(context.WithoutCancel(j.ctx), n, fill, func(l *store.Lists) error {
			p.Add(len(l.Rows))
			return add(l)
		})
	})
}

// errPlace is the error of a place that a damaged disk may have told.
func errPlace(place uint32, n int) error {
	return fmt.Errorf("%w: place %d in a block, want below %d", store.ErrCorrupt, place, n)
}
