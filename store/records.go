package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/knng/knng/store/internal/storeerr"
)

// recordsBytes bounds the size of all records of a sealed store: real ones are some
// kilobytes. A forged table of some megabytes can be unpacked to gigabytes.
const recordsBytes = 16 << 20

// boundRecords refuses a database whose tables of records say that they hold too much,
// before any is unpacked.
func (e *engine) boundRecords() error {
	levels, err := e.db.SSTables(pebble.WithProperties(), pebble.WithKeyRangeFilter([]byte{tagRecord}, []byte{tagRecord + 1}))
	if err != nil {
		return storeerr.Damage(err)
	}
	var all uint64
	for _, level := range levels {
		for _, t := range level {
			if t.Properties != nil {
				all += t.Properties.RawKeySize + t.Properties.RawValueSize
			}
		}
	}
	if all > recordsBytes {
		return fmt.Errorf("%w: the tables with records hold %d bytes, at most %d are read", ErrCorrupt, all, recordsBytes)
	}
	return nil
}
