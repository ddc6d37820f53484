package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search/internal/product"
)

var codesFile = fileKind{"KNNGCODE", 2}

// A codesIdentity says which rows codes are of, and how they were made.
type codesIdentity struct {
	identity
	parts int // bytes of a code
	dim   int
	run   int // places of a run; 0 if codes are of the rows themselves
}

// centersBytes is the size of the centers of codes, runsBytes that of the means of runs after them.
func (id *codesIdentity) centersBytes() int { return product.Size(id.dim, id.run > 0) }

func (id *codesIdentity) runsBytes() int {
	if id.run == 0 {
		return 0
	}
	return 4 * id.dim * runsOf(id.places, id.run)
}

// codesAt returns the position of the first code.
func (id *codesIdentity) codesAt() int64 {
	return int64(headerBytes + (id.centersBytes()+id.runsBytes()+4095)/4096*4096)
}

func (id *codesIdentity) size() int64 { return id.codesAt() + int64(id.parts)*int64(id.places) }

// header encodes an identity, the sum of the centers and that of the codes.
func (id *codesIdentity) header(centers, codes uint64) []byte {
	h, le := codesFile.begin(&id.identity, id.parts, codesSeed), binary.LittleEndian
	le.PutUint64(h[24:], uint64(id.dim))
	le.PutUint64(h[112:], centers)
	le.PutUint64(h[120:], codes)
	le.PutUint32(h[128:], uint32(id.run))
	return seal(h)
}

// CodesPath returns where a store in dir keeps the codes of its rows.
func CodesPath(dir string) string { return pathOf(dir, store.DerivedCodes) }

// read reads the kept codes, and checks all of their sums.
func (s coder) read(id codesIdentity) (*coded, error) {
	f, err := s.g.OpenDerived(store.DerivedCodes)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := id.read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", CodesPath(s.g.Dir()), err)
	}
	return c, nil
}

// readHeader reads and checks the header.
func readHeader(f *os.File) ([]byte, error) {
	head := make([]byte, headerBytes)
	if n, err := io.ReadFull(f, head); err != nil {
		return nil, fmt.Errorf("%w: %d bytes, too short", ErrCorrupt, n)
	}
	return head, codesFile.check(head)
}

func (id *codesIdentity) read(f *os.File) (*coded, error) {
	head, err := readHeader(f)
	if err != nil {
		return nil, err
	}
	centersSum, codesSum := binary.LittleEndian.Uint64(head[112:]), binary.LittleEndian.Uint64(head[120:])
	if string(head) != string(id.header(centersSum, codesSum)) {
		return nil, errOtherCodes
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() != id.size() {
		return nil, fmt.Errorf("%w: %d bytes, want %d", ErrCorrupt, info.Size(), id.size())
	}
	centers := make([]byte, id.codesAt()-headerBytes)
	if _, err := io.ReadFull(f, centers); err != nil {
		return nil, err
	}
	if got := xxhash.Sum64(centers); got != centersSum {
		return nil, fmt.Errorf("%w: bytes from %d on have checksum %016x, want %016x", ErrCorrupt, headerBytes, got, centersSum)
	}
	c := &coded{codes: make([]byte, id.parts*id.places)}
	if c.Quantizer, err = product.Parse(centers[:id.centersBytes()], id.dim, id.parts, id.run > 0); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if id.run > 0 {
		c.runs = parseRuns(centers[id.centersBytes():][:id.runsBytes()], id.run, id.dim)
	}
	if _, err := io.ReadFull(f, c.codes); err != nil {
		return nil, err
	}
	if got := xxhash.Sum64(c.codes); got != codesSum {
		return nil, fmt.Errorf("%w: bytes from %d on have checksum %016x, want %016x", ErrCorrupt, id.codesAt(), got, codesSum)
	}
	return c, nil
}

var errOtherCodes = errors.New("search: codes of another graph, of another length, or by other settings")

// keep writes codes next to their name, and then renames them.
func (s coder) keep(id codesIdentity, c *coded) error {
	if err := store.Room("the codes of search", store.Need{Dir: s.g.Dir(), Bytes: id.size()}); err != nil {
		return err
	}
	f, err := s.g.MakeDerived(store.DerivedCodes)
	if err != nil {
		return err
	}
	defer f.Abort()
	size := id.codesAt() - headerBytes
	centers := c.centers(make([]byte, 0, size))[:size] // zeros after them
	for _, part := range [][]byte{id.header(xxhash.Sum64(centers), xxhash.Sum64(c.codes)), centers, c.codes} {
		if _, err := f.Write(part); err != nil {
			return err
		}
	}
	return f.Commit()
}

// centers appends the centers of codes and the means of runs.
func (c *coded) centers(dst []byte) []byte { return c.runs.append(c.Append(dst)) }

// check compares the kept codes, if any, with ones made again.
func (s coder) check() error {
	f, err := s.g.OpenDerived(store.DerivedCodes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := readHeader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", CodesPath(s.g.Dir()), err)
	}
	id := s.identity(int(binary.LittleEndian.Uint32(head[12:])))
	if id.parts < 1 || id.parts > mostParts || id.parts > id.dim || s.kind() == 0 {
		return fmt.Errorf("%s: %w", CodesPath(s.g.Dir()), errOtherCodes)
	}
	kept, err := s.read(id)
	if err != nil {
		return err
	}
	want, err := s.make(id)
	if err != nil {
		return err
	}
	if !bytes.Equal(kept.centers(nil), want.centers(nil)) {
		return fmt.Errorf("%w: %s: the centers are not those of the rows", ErrCorrupt, CodesPath(s.g.Dir()))
	}
	for i, b := range want.codes {
		if kept.codes[i] != b {
			return fmt.Errorf("%w: %s: byte %d, in the code of place %d, is not that of the row", ErrCorrupt, CodesPath(s.g.Dir()), id.codesAt()+int64(i), i/id.parts)
		}
	}
	return nil
}
