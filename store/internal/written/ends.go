package written

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/store/internal/sealed"
)

// endsAt is the claim of a table.
func endsAt(files vfs.FS, path string) (c claim, err error) {
	f, err := files.Open(path)
	if err != nil {
		return c, err
	}
	defer f.Close()
	return endsOf(f)
}

func endsOf(f vfs.File) (c claim, err error) {
	info, err := f.Stat()
	if err != nil {
		return c, err
	}
	sum, err := sealed.Ends(f, info.Size())
	return claim{info.Size(), sum, true}, err
}

// checkEnds holds a table against a claim of its ends.
func (c claim) checkEnds(f vfs.File, path string) error {
	now, err := endsOf(f)
	switch {
	case err != nil:
		return err
	case now.bytes != c.bytes:
		return fmt.Errorf("%w: %s has %d bytes, %d were written", ErrDiffers, path, now.bytes, c.bytes)
	case now != c:
		return fmt.Errorf("%w: %s: its ends have hash %016x, they had %016x", ErrDiffers, path, now.sum, c.sum)
	}
	return nil
}
