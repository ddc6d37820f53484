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
	var g sync.WaitGroup
	var next atomic.Int64
	var failed atomic.Pointer[error]
	work := func() error {
		fn := worker()
		for failed.Load() == nil {
			from := int(next.Add(int64(size))) - size
			if from >= n {
				return nil
			}
			if err := fn(from, min(from+size, n)); err != nil {
				return err
			}
		}
		return nil
	}
	for range min(max(threads, 1), (n+size-1)/size) {
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
