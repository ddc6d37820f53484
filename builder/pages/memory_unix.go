//go:build unix

package pages

import "golang.org/x/sys/unix"

func mapMemory(size int) ([]byte, error) {
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err == nil {
		wishHuge(memory)
	}
	return memory, err
}

// unmapMemory cannot fail on what mapMemory returned.
func unmapMemory(memory []byte) { _ = unix.Munmap(memory) }
