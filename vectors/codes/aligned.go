package codes

import "unsafe"

// aligned returns n bytes that begin at a cache line.
func aligned(n int) []byte {
	b := make([]byte, n+63)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & 63
	return b[skip : skip+n : skip+n]
}
