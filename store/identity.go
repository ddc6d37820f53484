package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/knng/knng/store/internal/written"
	"github.com/knng/knng/vectors"
)

// A table of another store may have the name and the size of this one's, the same keys, and
// even the same first and last values. So every table that is written in bulk has in its
// properties, near its end, a hash of all its keys and values, and the record "tables"
// has a hash of the ends of each file. Opening a store reads those ends; a check reads
// everything. Stores of before have neither, and are opened without.

// tablesRecord is the name of the record of large files.
const tablesRecord = "tables"

// An identity tells a file of the store from others of its name and size.
type identity struct {
	Path string `json:"path"`
	Sum  string `json:"sum"` // of its ends; of the rows, of a sample
}

// identify hashes the ends of a table, or a sample of the rows.
func identify(f *os.File, rel string) (identity, error) {
	info, err := f.Stat()
	if err != nil {
		return identity{}, err
	}
	sum := written.Ends
	if rel == rowsPath {
		sum = vectors.Sample
	}
	hash, err := sum(f, info.Size())
	return identity{rel, fmt.Sprintf("%016x", hash)}, err
}

// recordIdentities records the identities of the tables of bulk data and of the rows.
func (d *Draft) recordIdentities() error {
	levels, err := d.engine.db.SSTables()
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	var paths []string
	for _, level := range levels {
		for _, t := range level {
			if key := t.Smallest.UserKey; len(key) > 0 && key[0] >= tagAdjacency {
				paths = append(paths, path.Join(graphName, tableFile(t.BackingSSTNum)))
			}
		}
	}
	if ok, err := d.home.Exists(rowsPath); err != nil {
		return fmt.Errorf("store: %w", err)
	} else if ok {
		paths = append(paths, rowsPath)
	}
	list := []identity{}
	for _, p := range paths {
		id, err := identityAt(d.home, p)
		if err != nil {
			return fmt.Errorf("store: %w", err)
		}
		list = append(list, id)
	}
	return d.Record(tablesRecord, list)
}

func identityAt(dir opener, rel string) (identity, error) {
	f, err := dir.Open(rel)
	if err != nil {
		return identity{}, err
	}
	defer f.Close()
	return identify(f, rel)
}

// checkIdentities compares the files that wanted selects with their recorded identities.
func (e *engine) checkIdentities(s *sealed, wanted func(rel string) bool) error {
	var list []identity
	if _, err := e.load(tablesRecord, &list); err != nil {
		return err
	}
	for _, want := range list {
		if !wanted(want.Path) {
			continue
		}
		now, err := identityAt(s, want.Path)
		if err != nil {
			return damage(err)
		}
		if now != want {
			return fmt.Errorf("%w: %s is not the file that was sealed, but one like it of another store (its ends have hash %s, want %s)",
				ErrCorrupt, s.Path(want.Path), now.Sum, want.Sum)
		}
	}
	return nil
}

// isTable and isRows say which files checkIdentities looks at.
func isTable(rel string) bool { return rel != rowsPath }
func isRows(rel string) bool  { return rel == rowsPath }

// contents is the hash of all keys and values of a table, for its properties. It is told of
// them by who writes the table: Pebble does not tell collectors of values.
type contents struct{ h *xxhash.Digest }

// contentsName is that of the property.
const contentsName = "knng.contents"

func newContents() contents { return contents{xxhash.New()} }

func (c contents) add(key, value []byte) {
	var lengths [8]byte
	binary.LittleEndian.PutUint32(lengths[:], uint32(len(key)))
	binary.LittleEndian.PutUint32(lengths[4:], uint32(len(value)))
	c.h.Write(lengths[:])
	c.h.Write(key)
	c.h.Write(value)
}

func (c contents) collector() sstable.BlockPropertyCollector { return c }

func (contents) Name() string { return contentsName }

func (c contents) FinishTable(buf []byte) ([]byte, error) {
	return binary.LittleEndian.AppendUint64(buf, c.h.Sum64()), nil
}

// Blocks have no property of their own, and there are no range keys and no suffixes.
func (contents) AddPointKey(sstable.InternalKey, []byte) error { return nil }
func (contents) AddRangeKeys(sstable.Span) error               { return nil }
func (contents) FinishDataBlock(buf []byte) ([]byte, error)    { return buf, nil }
func (contents) AddPrevDataBlockToIndexBlock()                 {}
func (contents) FinishIndexBlock(buf []byte) ([]byte, error)   { return buf, nil }
func (contents) SupportsSuffixReplacement() bool               { return false }
func (contents) AddCollectedWithSuffixReplacement(_, _, _ []byte) error {
	return errors.New("store: tables have no suffixes")
}
