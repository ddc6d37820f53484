//go:build unix && !linux

package offheap

import "os"

func wishHuge([]byte) {}

func reserve(f *os.File, size int64) error { return fill(f, size) }
