package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/vectors"
)

// rowsRecord is the name of the record that describes the store's own rows. It is written
// before their file gets its name, so that every such file has a record, but for builds that
// an older knng began.
const rowsRecord = "rows"

// ownRows describes the store's own rows as they were written.
type ownRows struct {
	Bytes int64  `json:"bytes"`
	Sum   string `json:"sum"` // hash of the hashes of all blocks of sumBytes
}

// sumBytes is how much of the rows is hashed at a time, side by side where they are read
// again.
const sumBytes = 1 << 20

// CreateRows begins the store's own rows, exactly n, at RowsPath.
func (d *Draft) CreateRows(n, dim int, t vectors.Type) (*vectors.RowsWriter, error) {
	p, err := newPublication(d.fs, d.RowsPath())
	if err != nil {
		return nil, err
	}
	w, err := vectors.NewRowsWriter(&rowsPublication{publication: p, d: d, blocks: newBlockSums()}, d.RowsPath(), n, dim, t)
	if err != nil {
		p.Abort()
	}
	return w, err
}

// HasRows reports whether the store's own rows are written.
func (d *Draft) HasRows() (bool, error) {
	ok, err := d.home.Exists(rowsPath)
	if err != nil {
		err = fmt.Errorf("store: %w", err)
	}
	return ok, err
}

// Rows maps the store's own rows. It reads rows of an earlier run once, to compare them with
// their record. Errors: ErrCorrupt; those of vectors.OpenRows.
func (d *Draft) Rows() (*vectors.Rows, error) {
	f, err := d.home.Open(rowsPath)
	if err != nil {
		return nil, storeerr.Damage(err)
	}
	defer f.Close()
	if err := d.checkRows(f); err != nil {
		return nil, err
	}
	return vectors.OpenedRows(f, d.RowsPath())
}

// soundRows checks the store's own rows, where there are any that were not looked at since an
// earlier run wrote them.
func (d sealing) soundRows() error {
	ok, err := d.HasRows()
	if !ok || err != nil || d.rowsSound {
		return err
	}
	f, err := d.home.Open(rowsPath)
	if err != nil {
		return storeerr.Damage(err)
	}
	defer f.Close()
	return d.checkRows(f)
}

// checkRows compares the rows with their record.
func (d *Draft) checkRows(f *os.File) error {
	var want ownRows
	ok, err := d.Load(rowsRecord, &want)
	if err != nil || !ok || d.rowsSound {
		return err
	}
	err = want.check(context.Background(), f, d.RowsPath(), ": the build has to begin anew, in another directory or with this one deleted")
	d.rowsSound = err == nil
	return err
}

// auditRecord is the name of the record of what a build found in its input, with the hash of all its rows.
const auditRecord = "audit"

// CheckRows reads the rows once and compares them with the hash recorded when the store's own were written, or when
// those of a referenced file were first read. Lookups and searches do not check rows. Call it before copying rows into
// another store, which would seal their damage. It returns nil if an older version wrote the store without a hash.
// Errors: ErrCorrupt, ErrClosed, those of Vectors for a referenced file, the cause of ctx.
func (s *Store) CheckRows(ctx context.Context) error {
	if s.info.Manifest.Vectors == "reference" {
		return s.checkReferenced(ctx)
	}
	var want ownRows
	ok, err := s.Record(rowsRecord, &want)
	if err != nil || !ok {
		return err
	}
	if !s.graph.Enter() {
		return ErrClosed
	}
	defer s.graph.Leave()
	f, err := s.home.Open(rowsPath)
	if err != nil {
		return storeerr.Damage(err)
	}
	defer f.Close()
	return want.check(ctx, f, s.home.Path(rowsPath), "")
}

// checkReferenced compares the rows of a referenced file with the record.
func (s *Store) checkReferenced(ctx context.Context) error {
	var found struct {
		Checksum string `json:"checksum"`
	}
	ok, err := s.Record(auditRecord, &found)
	if err != nil || !ok || found.Checksum == "" {
		return err
	}
	in, _, err := s.Vectors()
	if err != nil {
		return err
	}
	defer in.Close()
	sum, err := vectors.Checksum(in, vectors.AuditOptions{Context: ctx})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	}
	if text := fmt.Sprintf("%016x", sum); text != found.Checksum {
		return &AdvisedError{
			Err:    fmt.Errorf("%w: the rows in %s are not those that the graph was built of (they have hash %s, those had %s)", ErrCorrupt, in.Files[0].Path, text, found.Checksum),
			Advice: ": restore that file from a copy, or build the graph again",
		}
	}
	return nil
}

// check compares a file with the record. advice stands behind the error of one that changed.
func (want *ownRows) check(ctx context.Context, f *os.File, path, advice string) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if info.Size() != want.Bytes {
		return fmt.Errorf("%w: %s: %d bytes, %d were written", ErrCorrupt, path, info.Size(), want.Bytes)
	}
	sum, err := sumBlocks(ctx, f, want.Bytes)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("store: %s: %w", path, err)
	case sum != want.Sum:
		return fmt.Errorf("%w: %s is not what was written (it has hash %s, it had %s)%s", ErrCorrupt, path, sum, want.Sum, advice)
	}
	return nil
}

// rowsPublication records the rows that it publishes.
type rowsPublication struct {
	*publication
	d      *Draft
	blocks *blockSums
}

func (p *rowsPublication) Write(data []byte) (int, error) {
	n, err := p.publication.Write(data)
	p.blocks.Write(data[:n])
	return n, err
}

// Commit records the rows and gives them their name.
func (p *rowsPublication) Commit() error {
	if err := p.d.Record(rowsRecord, ownRows{p.blocks.written, p.blocks.sum()}); err != nil {
		return err
	}
	p.d.rowsSound = true
	return p.publication.Commit()
}

// blockSums hashes the bytes written to it, by blocks.
type blockSums struct {
	all, block *xxhash.Digest
	in         int   // bytes of the block
	written    int64 // of all
}

func newBlockSums() *blockSums { return &blockSums{all: xxhash.New(), block: xxhash.New()} }

func (s *blockSums) Write(data []byte) (int, error) {
	n := len(data)
	s.written += int64(n)
	for len(data) > 0 {
		part := data[:min(len(data), sumBytes-s.in)]
		s.block.Write(part)
		if s.in += len(part); s.in == sumBytes {
			s.end()
		}
		data = data[len(part):]
	}
	return n, nil
}

// end ends a block.
func (s *blockSums) end() {
	s.all.Write(s.block.Sum(nil))
	s.block.Reset()
	s.in = 0
}

// sum is the hash of all blocks; nothing is written afterwards.
func (s *blockSums) sum() string {
	if s.in > 0 {
		s.end()
	}
	return fmt.Sprintf("%016x", s.all.Sum64())
}

// sumBlocks is the result of blockSums for a file of some size, its blocks hashed side by side.
func sumBlocks(ctx context.Context, f io.ReaderAt, size int64) (string, error) {
	blocks := int((size + sumBytes - 1) / sumBytes)
	sums := make([]uint64, blocks)
	err := vectors.Ranges(runtime.GOMAXPROCS(0), blocks, 1, func() func(from, to int) error {
		buf := make([]byte, sumBytes)
		return func(from, to int) error {
			for b := from; b < to; b++ {
				at := int64(b) * sumBytes
				block := buf[:min(sumBytes, size-at)]
				if _, err := f.ReadAt(block, at); err != nil {
					return err
				}
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				sums[b] = xxhash.Sum64(block)
			}
			return nil
		}
	})
	all := xxhash.New()
	for _, s := range sums {
		all.Write(binary.BigEndian.AppendUint64(nil, s)) // as Digest.Sum does
	}
	return fmt.Sprintf("%016x", all.Sum64()), err
}
