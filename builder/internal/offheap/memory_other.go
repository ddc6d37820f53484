//go:build !unix

package offheap

import (
	"errors"
	"os"
)

func mapMemory(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapMemory([]byte) {}

func reserve(f *os.File, size int64) error { return fill(f, size) }
