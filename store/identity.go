package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/sealed"
)

// recordIdentities records the identities of the tables of bulk data and of the rows.
func (e *engine) recordIdentities(home *rooted.Dir) error {
	levels, err := e.db.SSTables()
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
	if ok, err := home.Exists(rowsPath); err != nil {
		return fmt.Errorf("store: %w", err)
	} else if ok {
		paths = append(paths, rowsPath)
	}
	list := []sealed.Identity{}
	for _, p := range paths {
		id, err := sealed.IdentityOf(home, p)
		if err != nil {
			return fmt.Errorf("store: %w", err)
		}
		list = append(list, id)
	}
	return e.record(sealed.TablesRecord, list)
}

// identities loads the identities of large files. Older stores have none.
func (e *engine) identities() (list []sealed.Identity, err error) {
	_, err = e.load(sealed.TablesRecord, &list)
	return list, err
}

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
