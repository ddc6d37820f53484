package builder

import (
	"sync"
	"sync/atomic"
)

// parallel calls fn for consecutive ranges of at most size covering [0, n), on
// threads goroutines that take the next range when they are free.
func parallel(threads, n, size int, fn func(from, to int)) {
	var g sync.WaitGroup
	var next atomic.Int64
	for range min(threads, (n+size-1)/size) {
		g.Go(func() {
			for {
				from := int(next.Add(int64(size))) - size
				if from >= n {
					return
				}
				fn(from, min(from+size, n))
			}
		})
	}
	g.Wait()
}

// eachOf does the units 0 to n-1, handed out in order to workers of which each
// goroutine makes one. The first error stops the others.
func eachOf(threads, n int, worker func() func(unit int) error) error {
	var g sync.WaitGroup
	var next atomic.Int64
	var failed atomic.Pointer[error]
	for range min(threads, n) {
		g.Go(func() {
			work := worker()
			for unit := int(next.Add(1)) - 1; unit < n && failed.Load() == nil; unit = int(next.Add(1)) - 1 {
				if err := work(unit); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	g.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}
