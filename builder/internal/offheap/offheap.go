// Package offheap makes large slices for random access. Beyond some megabytes they are mapped outside Go's
// heap. If the system offers huge pages on request, they use these: with small pages nearly every access to
// hundreds of megabytes also misses the TLB. And their memory is returned the moment they are freed; Go's
// heap would let as much garbage pile up again. A Ledger keeps them within a limit, and HoldHeap limits the
// garbage of Go's heap.
package offheap

import "unsafe"

type element interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float64
}

// Block is a slice that its owner frees.
type Block[T element] struct {
	Slice   []T // nil after Free
	mapped  []byte
	returns func() // tells the ledger

	anonymous bool // mapped is memory, not a file
}

// mappedFrom is the size from which a block is outside the heap. A smaller block gains nothing, and the race
// detector sees it. With 8 MiB, 200,000 rows of SIFT in parts took 82 MiB instead of the planned 59: lists of
// a group were garbage of 7 MiB each.
var mappedFrom = 1 << 20 // a variable for tests

// Make returns a block of n zeros.
func Make[T element](n int) Block[T] {
	size := int(unsafe.Sizeof(T(0))) * n
	if size >= mappedFrom {
		if memory, err := mapMemory(size); err == nil {
			account(int64(size))
			b := over[T](memory, n)
			b.anonymous = true
			return b
		}
	}
	return Block[T]{Slice: make([]T, n)}
}

func over[T element](memory []byte, n int) Block[T] {
	return Block[T]{Slice: unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), n), mapped: memory}
}

// MapFrom sets the size from which blocks are outside the heap, for tests of leaks.
func MapFrom(bytes int) (restore func()) {
	before := mappedFrom
	mappedFrom = bytes
	return func() { mappedFrom = before }
}

// Held returns the bytes of all blocks outside the heap that have not been freed.
func Held() int64 {
	held.Lock()
	defer held.Unlock()
	return held.blocks
}

// Free frees the memory. Nobody may be using the slice; freeing twice does nothing.
func (b *Block[T]) Free() {
	if b.mapped != nil {
		unmapMemory(b.mapped)
	}
	if b.anonymous {
		account(-int64(len(b.mapped)))
	}
	if b.returns != nil {
		b.returns()
	}
	*b = Block[T]{}
}
