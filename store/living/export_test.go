package living

import (
	"github.com/knng/knng/store/living/internal/disk"
)

// Chunk has a DB integrate so many rows at a time.
func (o Options) Chunk(n int) *Options {
	o.chunk = n
	return &o
}

// Due has a compaction due for more than n rows that are dead or put.
func (o Options) Due(n int) *Options {
	o.due = n
	return &o
}

// On has a DB write through another file system.
func (o Options) On(fs func(disk.FS) disk.FS) *Options {
	o.fs = fs
	return &o
}
