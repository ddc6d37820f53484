package written

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// endBytes is how much of both ends of a table is hashed: the properties, among them a hash
// of all its contents, and the footer behind them take less.
const endBytes = 16 << 10

// Ends is a hash of the size of a table and of its ends.
func Ends(f io.ReaderAt, size int64) (uint64, error) {
	h := xxhash.New()
	var buf [endBytes]byte
	binary.LittleEndian.PutUint64(buf[:], uint64(size))
	h.Write(buf[:8])
	for _, at := range []int64{0, max(0, size-endBytes)} {
		n, err := f.ReadAt(buf[:], at)
		if err != nil && err != io.EOF {
			return 0, err
		}
		h.Write(buf[:n])
	}
	return h.Sum64(), nil
}

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
	sum, err := Ends(f, info.Size())
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
