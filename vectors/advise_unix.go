//go:build linux || darwin || freebsd || netbsd || openbsd

package vectors

import (
	"os"

	"golang.org/x/sys/unix"
)

var advices = [...]int{Normal: unix.MADV_NORMAL, Sequential: unix.MADV_SEQUENTIAL, Random: unix.MADV_RANDOM, unneeded: unix.MADV_DONTNEED}

func advise(data []byte, a Advice) error {
	if len(data) == 0 {
		return nil
	}
	return unix.Madvise(data, advices[a])
}

// pageBytes is where advice may begin: at multiples of it.
var pageBytes = os.Getpagesize()

func willNeed(data []byte) error { return unix.Madvise(data, unix.MADV_WILLNEED) }
