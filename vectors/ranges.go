package vectors

import (
	"sync"
	"sync/atomic"
)

// Ranges cuts [0, n) into ranges of at most size elements. At most threads goroutines each call
// worker once, and then its result for one range after the other, in ascending order. The first
// error stops all and is returned. The functions run inside Guard, so they may read mapped rows.
func Ranges(threads, n, size int, worker func() func(from, to int) error) error {
	var next atomic.Int64
	return ranges(threads, n, size, worker, func(int) int { return int(next.Add(1)) - 1 })
}

// Apart is like Ranges, but keeps goroutines far from each other: it is for workers that would fight
// for cache lines when their ranges are close. Every goroutine starts in a part of its own, and then
// helps where most is left. Ranges come in no order.
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

// ranges starts the goroutines. Goroutine own asks take(own) for the number of its next range, until
// that is past the last range.
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

// take removes the next range from a goroutine's own part, or, once that is empty, from the part
// with most left. It returns none when all parts are empty.
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
