package inflight

import (
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// TestClose: Close waits for the calls in progress, wherever they leave, and lets no other in.
func TestClose(t *testing.T) {
	for range 50 {
		var c Calls
		var inside, refused atomic.Int64
		var g sync.WaitGroup
		begin := make(chan bool)
		for range 8 {
			g.Go(func() {
				<-begin
				for range 1000 {
					if !c.Enter() {
						refused.Add(1)
						return
					}
					inside.Add(1)
					left := make(chan bool)
					go deep(20, func() { // on another stack
						inside.Add(-1)
						c.Leave()
						close(left)
					})
					<-left
				}
			})
		}
		close(begin)
		if !c.Close() {
			t.Fatal("it was closed before")
		}
		if n := inside.Load(); n != 0 {
			t.Fatalf("%d calls are in progress after Close", n)
		}
		if c.Enter() || c.Close() {
			t.Fatal("it is open after Close")
		}
		g.Wait()
	}
}

// deep calls fn with a stack that has grown.
func deep(n int, fn func()) {
	var room [1024]byte
	room[n] = 1
	if n > 0 {
		deep(n-1, fn)
		return
	}
	fn()
}

// TestSpread: goroutines have counters of their own, but for few. Stacks may lie so that more of them
// share, which another try shows.
func TestSpread(t *testing.T) {
	most := 0
	for range 20 {
		most = max(most, used(16))
	}
	if most < 8 {
		t.Errorf("16 goroutines use %d counters at most", most)
	}
	if size := unsafe.Sizeof(count{}); size != 128 {
		t.Errorf("a counter has %d bytes", size)
	}
}

// used is how many counters so many goroutines use.
func used(goroutines int) (counters int) {
	var c Calls
	var g sync.WaitGroup
	end := make(chan bool)
	for range goroutines {
		in := make(chan bool)
		g.Go(func() {
			c.Enter()
			close(in)
			<-end
		})
		<-in
	}
	for i := range c.counts {
		if c.counts[i].n.Load() > 0 {
			counters++
		}
	}
	close(end)
	g.Wait()
	return counters
}

func BenchmarkCalls(b *testing.B) {
	var c Calls
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c.Enter()
			c.Leave()
		}
	})
}
