package sealed

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/vectors"
)

// TablesRecord is the name of the record that lists the identities of large files.
const TablesRecord = "tables"

// An Identity tells a large file of a store from another file of the same name and size.
// Every table that is written in bulk ends with a hash of all its keys and values, so that
// the ends of a table identify its contents.
type Identity struct {
	Path string `json:"path"`
	Sum  string `json:"sum"` // hash of the ends of a table, or of a sample of the rows
}

// endBytes is how many bytes of each end of a table are hashed: the properties, which hold
// the hash of the contents, and the footer behind them are smaller.
const endBytes = 16 << 10

// IdentityOf reads the identity of a file.
func IdentityOf(dir Opener, rel string) (Identity, error) {
	f, err := dir.Open(rel)
	if err != nil {
		return Identity{}, err
	}
	defer f.Close()
	return identify(f, rel)
}

func identify(f *os.File, rel string) (Identity, error) {
	info, err := f.Stat()
	if err != nil {
		return Identity{}, err
	}
	sum := Ends
	if rel == RowsPath {
		sum = vectors.Sample
	}
	hash, err := sum(f, info.Size())
	return Identity{rel, fmt.Sprintf("%016x", hash)}, err
}

// Ends hashes the size of a table and its ends.
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

// CheckIdentities compares the listed files that wanted selects with their identities.
func (d *Dir) CheckIdentities(list []Identity, wanted func(rel string) bool) error {
	for _, want := range list {
		if !wanted(want.Path) {
			continue
		}
		now, err := IdentityOf(d, want.Path)
		if err != nil {
			return storeerr.Damage(err)
		}
		if now != want {
			return fmt.Errorf("%w: %s is not the file that was sealed, but one like it of another store (its ends have hash %s, want %s)",
				storeerr.ErrCorrupt, d.Path(want.Path), now.Sum, want.Sum)
		}
	}
	return nil
}

// IsTable selects the tables for CheckIdentities.
func IsTable(rel string) bool { return rel != RowsPath }

// IsRows selects the rows for CheckIdentities.
func IsRows(rel string) bool { return rel == RowsPath }
