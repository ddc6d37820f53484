package offheap

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

// reservePiece is how much is reserved by a call: one that a signal interrupts may have
// to begin anew.
const reservePiece = 64 << 20
