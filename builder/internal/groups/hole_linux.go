package groups

import (
	"os"

	"golang.org/x/sys/unix"
)

// giveBack frees the space of a range of a file that is not read again. File systems without this operation
// keep the space until the file is closed.
func giveBack(f *os.File, from, size int64) {
	if size > 0 {
		_ = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, from, size)
	}
}
