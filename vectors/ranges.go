package vectors

import (
	"sync"
	"sync/atomic"
)

// Ranges cuts [0, n) into ranges of at most size and hands them out in order to
// at most threads goroutines, of which each makes one worker. The first error
// stops the others and is returned. Workers run inside Guard: they may read
// mapped rows.
func Ranges(threads, n, size int, worker func() func(from, to int) error) error {
	var next atomic.Int64
	return ranges(threads, n, size, worker, func(int) int { return int(next.Add(1)) - 1 })
}

// Apart is Ranges for workers that touch the same memory where their ranges are near, which
// cores would take from each other: every goroutine begins in a part of its own, and ends by
// helping where most is left. Ranges come in no order.
func Apart(threads, n, size int, worker func() func(from, to int) error) error {
	count := (n + size - 1) / size
	threads = max(1, min(threads, count))
	parts := make([]stretch, threads)
	for i := range parts {
		parts[i].next.Store(int64(i * count / threads))
		parts[i].end = int64((i + 1) * count / threads)
	}
	return ranges(threads, n, size, worker, func(own int) int { return take(parts, own, count) })
}

// ranges has goroutines, which are numbered, do the ranges that take says, until it says
// one that there is not.
func ranges(threads, n, size int, worker func() func(from, to int) error, take func(own int) int) error {
	var g sync.WaitGroup
	var failed atomic.Pointer[error]
	for own := range min(max(threads, 1), (n+size-1)/size) {
		work := func() error {
			fn := worker()
			for failed.Load() == nil {
				from := take(own) * size
				if from >= n {
					return nil
				}
				if err := fn(from, min(from+size, n)); err != nil {
					return err
				}
			}
			return nil
		}
		g.Go(func() {
			if err := Guard(work); err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		})
	}
	g.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// stretch is the rest of some consecutive ranges.
type stretch struct {
	next atomic.Int64
	end  int64
	_    [48]byte // the others are on other lines of memory
}

// take takes the next range of a goroutine's own part, or else of the one with most left. It
// returns none where nothing is.
func take(parts []stretch, own, none int) int {
	for {
		if i := parts[own].next.Add(1) - 1; i < parts[own].end {
			return int(i)
		}
		most := int64(0)
		for i := range parts {
			if left := parts[i].end - parts[i].next.Load(); left > most {
				own, most = i, left
			}
		}
		if most == 0 {
			return none
		}
	}
}
