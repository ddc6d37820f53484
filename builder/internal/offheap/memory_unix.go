//go:build unix

package offheap

import (
	"os"

	"golang.org/x/sys/unix"
)

func mapMemory(size int) ([]byte, error) {
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err == nil {
		wishHuge(memory)
	}
	return memory, err
}

func mapFile(f *os.File, size int64) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	return unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// unmapMemory cannot fail on memory that mapMemory or mapFile returned.
func unmapMemory(memory []byte) { _ = unix.Munmap(memory) }
