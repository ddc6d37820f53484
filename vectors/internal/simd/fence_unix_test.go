//go:build linux || darwin

package simd

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// fenced returns n bytes that end where an inaccessible page begins: a kernel
// that reads past a row faults.
func fenced(t *testing.T, n int) []byte {
	page := os.Getpagesize()
	size := (n + page - 1) / page * page
	mem, err := unix.Mmap(-1, 0, size+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mprotect(mem[size:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(mem) })
	return mem[size-n : size : size]
}
