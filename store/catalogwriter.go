package store

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/store/internal/catalog"
)

// A catalogDraft is a catalog being written. It is written while the database is open, and
// ended when the seal is known.
type catalogDraft struct{ *publication }

// draftCatalog writes a catalog at path, all but its end.
func (e *engine) draftCatalog(ctx context.Context, fs vfs.FS, path string) (*catalogDraft, error) {
	p, err := newPublication(fs, path)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(p, 1<<16)
	if err = e.writeCatalog(ctx, w); err == nil {
		err = w.Flush()
	}
	if err != nil {
		p.Abort()
		return nil, err
	}
	return &catalogDraft{p}, nil
}

// end binds the catalog to the seal with the SHA-256 sum, and gives it its name.
func (d *catalogDraft) end(sum [32]byte) error {
	if _, err := d.Write(catalog.Trailer(sum)); err != nil {
		return err
	}
	return d.Commit()
}

// writeCatalog writes the catalog of the database, all but its end.
func (e *engine) writeCatalog(ctx context.Context, w io.Writer) error {
	c, err := e.catalogContents(ctx)
	if err == nil {
		err = catalog.Write(w, c)
	}
	if err != nil {
		return fmt.Errorf("store: catalog: %w", err)
	}
	return nil
}

func (e *engine) catalogContents(ctx context.Context) (*catalog.Contents, error) {
	c := &catalog.Contents{Records: map[string]json.RawMessage{}}
	for _, name := range catalog.Records {
		var record json.RawMessage
		ok, err := e.load(name, &record)
		if err != nil {
			return nil, err
		}
		if ok {
			c.Records[name] = record
		}
	}
	var shape Shape
	if _, err := e.load("adjacency", &shape); err != nil {
		return nil, err
	}
	if err := shape.Check(); err != nil {
		return nil, err
	}
	_, c.HasIDs = c.Records[idsRecord]
	c.Rows = shape.Rows
	c.EachIDs = func(fn func(ids []byte) error) error {
		return e.scanUnder(ctx, []byte{tagIDs}, func(_, value []byte) error { return fn(value) })
	}
	c.EachByID = func(fn func(row uint32) error) error {
		return e.scanUnder(ctx, []byte{tagRowOfID}, func(key, value []byte) error {
			if len(value) != 8 || binary.LittleEndian.Uint64(value) >= uint64(c.Rows) {
				return corrupt(key, fmt.Errorf("row %x, want 8 bytes of a row below %d", value, c.Rows))
			}
			return fn(uint32(binary.LittleEndian.Uint64(value)))
		})
	}
	c.EachRow = func(fn func(place int, row uint32) error) error {
		return e.eachInteger(ctx, key32(tagOrder), fn)
	}
	return c, nil
}
