package offheap

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// held is the limit that HoldHeap set, and the memory counted against it.
var held struct {
	sync.Mutex
	limit  int64 // 0: nothing
	before int64 // the heap's limit without it
	blocks int64 // bytes of blocks outside Go's heap, now
	beside int64 // bytes that are neither these nor Go's, as last seen
}

// besideHeap is the memory that a process is assumed to hold besides Go's memory and blocks: the data of the
// program, some megabytes. With cgo Pebble takes its memory from C, whose use is unknown before it is
// measured: 55 MiB in a build of 20 million rows.
const besideHeap = 16 << 20

// overshoot is the part of a limit by which the collector may exceed it while it works. Without it: 227.0 MiB
// of 225.8 in a build of a million rows.
const overshoot = 32

// leastHeap is the least limit of Go's heap: with less the collector would run without end. If the limit is
// under 32 MiB, it is half of it.
const leastHeap = 16 << 20

// besideOf is the part of a limit that is left for everything except Go's memory and blocks: little in a
// small build, as the program's data is pages of a file.
func besideOf(limit int64) int64 { return min(besideHeap, limit/16) }

// HoldHeap keeps the anonymous memory of this process under limit bytes from now on. Go's heap gets the limit
// less the blocks outside of it (debug.SetMemoryLimit), so that garbage is collected before it adds to them;
// a lower limit of the heap's own (GOMEMLIMIT) stays. 0 ends that. It is for programs that only build, since
// the limit is one for the whole process.
func HoldHeap(limit int64) {
	held.Lock()
	defer held.Unlock()
	if held.limit == 0 {
		held.before = debug.SetMemoryLimit(-1)
	}
	held.limit, held.beside = limit, besideOf(limit)
	limitHeap()
}

// Observe reports the resident anonymous memory of the process. Memory that is neither Go's nor in blocks
// also lowers the heap's limit.
func Observe(anonymous int64) {
	held.Lock()
	defer held.Unlock()
	if held.limit > 0 {
		held.beside = max(besideOf(held.limit), anonymous-held.blocks-GoBytes())
		limitHeap()
	}
}

// collectFrom is the size from which taking a block waits until Go has returned its free memory. Go returns
// it in its own time, and a block can be filled sooner: 407 MiB of 400 for a moment, when the last pass of a
// build took 80 MiB. Collecting takes some milliseconds, too much for the small blocks of every group of
// leaves.
const collectFrom = 32 << 20

// account notes that blocks take so many bytes more.
func account(bytes int64) {
	held.Lock()
	defer held.Unlock()
	if held.blocks += bytes; held.limit > 0 {
		limitHeap()
		if bytes >= collectFrom && GoBytes() > debug.SetMemoryLimit(-1) {
			debug.FreeOSMemory()
		}
	}
}

func limitHeap() {
	heap := held.before
	if held.limit > 0 {
		heap = min(heap, max(held.limit-held.limit/overshoot-held.blocks-held.beside, min(leastHeap, held.limit/2)))
	}
	debug.SetMemoryLimit(heap)
}

// GoBytes returns the memory that Go's runtime holds, which its limit bounds.
func GoBytes() int64 {
	m := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(m)
	return int64(m[0].Value.Uint64()) - int64(m[1].Value.Uint64())
}
