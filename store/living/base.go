package living

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/living/internal/pointer"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

// A base is the sealed store of a living one. A position is one of its rows.
type base struct {
	g    *store.Store
	s    *search.Searcher
	rows *rowMap
	lock *os.File // shared: the writer removes no base that is being read
	refs atomic.Int32

	compacted bool // its rows are named by nameOf

	placed []uint64 // a bit for each position that has a vector
	count  int      // number of these
}

// sealName is the file of a base that its readers lock.
const sealName = "SEAL"

func sealOf(folder string) string {
	if folder == pointer.Here {
		return sealName
	}
	return folder + "/" + sealName
}

// openBase opens the base of a manifest; nil if it has none.
func openBase(dir *rooted.Dir, m *pointer.Manifest, o *search.Options) (*base, error) {
	if m.Base == "" {
		return nil, nil
	}
	b := &base{compacted: m.Base != pointer.Here}
	b.refs.Store(1)
	if err := b.open(dir, m, o); err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

func (b *base) open(dir *rooted.Dir, m *pointer.Manifest, o *search.Options) (err error) {
	if b.lock, err = dir.Open(sealOf(m.Base)); err != nil {
		return err
	}
	ok, err := rooted.TryShare(b.lock)
	if err != nil {
		return err
	}
	if !ok {
		return errGoing
	}
	if err := isFolder(dir, m.Base); err != nil {
		return err
	}
	if b.g, err = store.Open(filepath.Join(dir.Name(), filepath.FromSlash(m.Base)), &store.Options{AsBuilt: true}); err != nil {
		return err
	}
	if sum := b.g.Info().Checksum; sum != m.Checksum {
		return fmt.Errorf("%w: %s has lists of checksum %s, the manifest names %s", ErrCorrupt, b.g.Dir(), sum, m.Checksum)
	}
	if b.s, err = search.Open(b.g, o); err != nil {
		return err
	}
	if b.rows, err = openRows(dir, m.Rows, b.g.Len(), m.FirstRow); err != nil {
		return err
	}
	b.findPlaced()
	return nil
}

// isFolder returns nil if a base is in a folder of the directory, and no link leads out of it.
func isFolder(dir *rooted.Dir, folder string) error {
	sub, err := dir.Sub(folder)
	if err != nil {
		return err
	}
	return sub.Close()
}

// errGoing says that the base is being removed, so another manifest is current by now.
var errGoing = errors.New("living: the base is being removed")

// findPlaced notes which positions have vectors: isolated rows have none, and are not rows of a living store.
func (b *base) findPlaced() {
	b.placed = make([]uint64, (b.g.Len()+63)/64)
	b.count = b.s.Len()
	for p := range b.g.Len() {
		if b.count == b.g.Len() || b.s.Has(store.Row(p)) {
			b.placed[p/64] |= 1 << (p % 64)
		}
	}
}

func (b *base) isPlaced(p uint32) bool { return b.placed[p/64]>>(p%64)&1 != 0 }

func (b *base) retain() *base {
	if b != nil {
		b.refs.Add(1)
	}
	return b
}

// release closes the base with its last holder.
func (b *base) release() error {
	if b == nil || b.refs.Add(-1) > 0 {
		return nil
	}
	var errs []error
	if b.s != nil {
		errs = append(errs, b.s.Close())
	}
	if b.g != nil {
		errs = append(errs, b.g.Close())
	}
	if b.lock != nil {
		errs = append(errs, rooted.Locked{File: b.lock}.Close())
	}
	return errors.Join(errs...)
}

// A rowMap numbers the positions of a base, in ascending order; each number is given once. It is in memory,
// so that a failing disk cannot end the process.
type rowMap struct {
	n     int
	skips []uint32 // for each position, how many lower numbers are unused; nil: numbers count from 0
	far   []uint64 // instead of skips, if uint32 is too small
}

const (
	rowsMagic = "KNNGROWN"
	rowsHead  = 16
)

// encodeRows makes the file of n row numbers: "KNNGROWN", u64 n, a u64 for each, and the xxhash64 of all
// that.
func encodeRows(n int, row func(i int) uint64) []byte {
	b := append(make([]byte, 0, rowsHead+8*n+8), rowsMagic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(n))
	for i := range n {
		b = binary.LittleEndian.AppendUint64(b, row(i))
	}
	return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
}

// openRows reads the numbers of n positions, which are below first.
func openRows(dir *rooted.Dir, name string, n int, first uint64) (*rowMap, error) {
	m := &rowMap{n: n}
	if name == "" {
		if uint64(n) > first {
			return nil, fmt.Errorf("%w: the base has %d rows, the logs begin at %d", ErrCorrupt, n, first)
		}
		return m, nil
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, err := vectors.MapOpened(f, dir.Path(name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	err = vectors.Guard(func() error { return m.take(file.Bytes(), first) })
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, dir.Path(name), err)
	}
	return m, nil
}

// take decodes the numbers of a file.
func (m *rowMap) take(b []byte, first uint64) error {
	want := rowsHead + 8*m.n + 8
	if len(b) != want || string(b[:8]) != rowsMagic || binary.LittleEndian.Uint64(b[8:]) != uint64(m.n) {
		return fmt.Errorf("%d bytes, or another beginning, want %d for %d rows", len(b), want, m.n)
	}
	if binary.LittleEndian.Uint64(b[want-8:]) != xxhash.Sum64(b[:want-8]) {
		return fmt.Errorf("byte %d: the hash is another", want-8)
	}
	number := func(p int) uint64 { return binary.LittleEndian.Uint64(b[rowsHead+8*p:]) }
	if m.n > 0 && number(m.n-1) > math.MaxUint32 {
		m.far = make([]uint64, m.n)
	} else {
		m.skips = make([]uint32, m.n)
	}
	next := uint64(0)
	for p := range m.n {
		row := number(p)
		if row < next || row >= first {
			return fmt.Errorf("byte %d: row %d, want %d to %d", rowsHead+8*p, row, next, first-1)
		}
		next = row + 1
		if m.far != nil {
			m.far[p] = row - uint64(p)
		} else {
			m.skips[p] = uint32(row - uint64(p))
		}
	}
	return nil
}

// row returns the number of a position.
func (m *rowMap) row(p uint32) uint64 {
	switch {
	case m.skips != nil:
		return uint64(p) + uint64(m.skips[p])
	case m.far != nil:
		return uint64(p) + m.far[p]
	}
	return uint64(p)
}

// position returns the position of a row, if it has one.
func (m *rowMap) position(row uint64) (p uint32, ok bool) {
	if m.skips == nil && m.far == nil {
		return uint32(row), row < uint64(m.n)
	}
	at := sort.Search(m.n, func(i int) bool { return m.row(uint32(i)) >= row })
	return uint32(at), at < m.n && m.row(uint32(at)) == row
}

// encode returns the file from which it was read.
func (m *rowMap) encode() []byte {
	return encodeRows(m.n, func(i int) uint64 { return m.row(uint32(i)) })
}
