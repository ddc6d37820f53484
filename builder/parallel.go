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
