// Package pages makes slices for random access: on huge pages where the system
// offers them on request, because with small ones nearly every access to
// hundreds of megabytes also misses the table of pages.
package pages

import "unsafe"

// huge is the size of a huge page.
const huge = 2 << 20

// Make returns a slice of n zeros.
func Make[T uint32 | uint64](n int) []T {
	s := make([]T, n)
	size := int(unsafe.Sizeof(T(0))) * n
	if size < 4*huge {
		return s
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (huge - 1)
	if whole := (size - skip) / huge * huge; whole > 0 {
		advise(b[skip : skip+whole])
	}
	return s
}
