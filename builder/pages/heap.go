package pages

import (
	"math"
	"runtime/debug"
	"sync"
)

// held is what HoldHeap asked for.
var held struct {
	sync.Mutex
	limit  int64 // 0: nothing
	blocks int64 // bytes of blocks outside Go's heap, now
}

// besideHeap is what a process holds besides Go's heap and blocks: the data of the
// program, and with cgo what Pebble takes from C. Measured: 9 to 14 MiB.
const besideHeap = 16 << 20

// leastHeap is what Go's heap is left in any case: with less the collector would run
// without end.
const leastHeap = 16 << 20

// HoldHeap keeps the anonymous memory of this process under limit bytes from now on:
// Go's heap gets what blocks outside of it leave (debug.SetMemoryLimit), so that
// garbage is collected before it stands beside them. 0 ends that. It is for programs
// that are nothing but a build: the limit is one for the whole process.
func HoldHeap(limit int64) {
	held.Lock()
	defer held.Unlock()
	held.limit = limit
	limitHeap()
}

// account notes that blocks take so many bytes more.
func account(bytes int64) {
	held.Lock()
	defer held.Unlock()
	if held.blocks += bytes; held.limit > 0 {
		limitHeap()
	}
}

func limitHeap() {
	heap := int64(math.MaxInt64)
	if held.limit > 0 {
		heap = max(held.limit-held.blocks-besideHeap, leastHeap)
	}
	debug.SetMemoryLimit(heap)
}
