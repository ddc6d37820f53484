package pages

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// wishHuge asks for huge pages. It is a wish: an error changes nothing.
func wishHuge(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }

// reserve makes f size bytes long and takes the space now.
func reserve(f *os.File, size int64) error {
	if size == 0 {
		return nil
	}
	err := unix.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		err = f.Truncate(size)
	}
	return err
}
