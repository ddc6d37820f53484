package living

import (
	"github.com/knng/knng/store/living/internal/disk"
)

// On has a DB write through another file system.
func (o Options) On(fs func(disk.FS) disk.FS) *Options {
	o.fs = fs
	return &o
}
