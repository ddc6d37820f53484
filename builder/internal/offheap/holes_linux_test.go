package offheap

import (
	"fmt"
	"os"
	"syscall"
)

// noHoles is nil where a file has space for so many bytes.
func noHoles(f *os.File, size int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if has := info.Sys().(*syscall.Stat_t).Blocks * 512; has < size {
		return fmt.Errorf("the file has space for %d bytes, want %d", has, size)
	}
	return nil
}
