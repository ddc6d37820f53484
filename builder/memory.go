package builder

import (
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/vectors/offered"
)

// DefaultMemory is the limit where Options.Memory is 0: half of the memory that the
// machine or its cgroup offers, in bytes.
func DefaultMemory() int64 { return offered.Memory() / 2 }

// HoldHeap keeps the anonymous memory of this process under limit bytes from now on: garbage of
// Go's heap is collected before it stands beside a build's blocks outside of it. A lower limit of
// the heap's own (GOMEMLIMIT) stays; 0 ends that. It is for programs that are nothing but a
// build: the limit is one for the whole process.
func HoldHeap(limit int64) { offheap.HoldHeap(limit) }
