package offheap

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// wishHuge requests huge pages. An error does not matter.
func wishHuge(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }

// reserve makes f size bytes long and allocates the space now.
func reserve(f *os.File, size int64) error {
	if size == 0 {
		return nil
	}
	for at := int64(0); at < size; {
		n := min(size-at, reservePiece)
		err := unix.Fallocate(int(f.Fd()), 0, at, n)
		switch {
		case errors.Is(err, unix.EINTR): // a signal: again
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return fill(f, size)
		case err != nil:
			return err
		default:
			at += n
		}
	}
	return nil
}

// reservePiece is the size that one call reserves: a call that a signal interrupts may have to begin anew.
const reservePiece = 64 << 20
