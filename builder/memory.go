package builder

import (
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/vectors/offered"
)

// DefaultMemory is the limit where Options.Memory is 0: half of the memory that the
// machine or its cgroup offers, in bytes.
func DefaultMemory() int64 { return offered.Memory() / 2 }

// HoldHeap keeps the anonymous memory of this process under limit bytes from now on. A build has
// large blocks outside Go's heap, which the collector does not know; HoldHeap lowers Go's memory
// limit (debug.SetMemoryLimit) by their size. A lower GOMEMLIMIT stays in force; limit 0 ends it.
// The limit holds for the whole process, so it is for programs that do nothing but build.
func HoldHeap(limit int64) { offheap.HoldHeap(limit) }
