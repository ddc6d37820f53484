package vectors

import (
	"errors"
	"runtime/debug"
)

// ErrFault says that a mapped file could not be read: it was truncated or
// replaced, or its disk failed.
var ErrFault = errors.New("vectors: the mapped file can no longer be read")

// guard runs fn with memory faults turned into ErrFault. A page of a mapped
// file that is gone raises SIGBUS, which would end the process otherwise.
func guard(fn func()) (err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if p := recover(); p != nil {
			if _, fault := p.(interface{ Addr() uintptr }); !fault {
				panic(p)
			}
			err = ErrFault
		}
	}()
	fn()
	return nil
}

// Guard runs fn and turns a fault of a mapped file in it, on this goroutine,
// into ErrFault. Loops that read mapped rows directly run inside it.
func Guard(fn func() error) (err error) {
	if fault := guard(func() { err = fn() }); fault != nil {
		return fault
	}
	return err
}
