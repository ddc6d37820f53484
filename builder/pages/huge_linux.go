package pages

import "golang.org/x/sys/unix"

// wishHuge asks for huge pages. It is a wish: an error changes nothing.
func wishHuge(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }
