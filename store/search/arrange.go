package search

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search/internal/locality"
	"github.com/knng/knng/vectors"
)

// Rows are put into an order of locality without being in memory: a first pass finds the ball of each row, a
// second writes the rows to the file ball by ball, and then each ball is read, ordered and written back.

const (
	ballBytes    = 4 << 20  // average size of a ball of the first division: a piece of any likely ball fits in memory
	mostBalls    = 1024     // of that division: each row is compared with as many leaders
	pieceBytes   = 32 << 20 // largest size of a piece: a larger ball is cut into pieces in the order in which rows came
	arrangedRows = 4096     // rows for which a goroutine finds balls at a time
)

// An arranger puts the rows of a Searcher in an order of locality.
type arranger struct {
	*Searcher
	file    *os.File
	size    int               // bytes of a row
	near    *locality.Divider // by the leaders of all rows
	count   int               // number of these leaders
	chosen  []uint16          // ball of every place of the store
	members []uint32          // places of the store, in the order of the file
	ends    []int             // ends of balls, in members
}

// keep makes the copy of the rows next to its name, and then renames it.
func (s copier) keep(id rowsIdentity) error {
	if err := store.Room("the rows of search", store.Need{Dir: s.g.Dir(), Bytes: int64(id.bytes())}); err != nil {
		return err
	}
	f, err := s.g.MakeDerived(store.DerivedRows)
	if err != nil {
		return err
	}
	defer f.Abort()
	_ = s.advise(vectors.Sequential) // a hint
	defer s.advise(vectors.Normal)
	if err := s.write(f.File, id); err != nil {
		return err
	}
	return f.Commit()
}

func (s copier) write(f *os.File, id rowsIdentity) error {
	a, err := s.arranger(f, id)
	if err != nil {
		return err
	}
	for _, step := range []func() error{a.choose, a.share} {
		if err := step(); err != nil {
			return err
		}
	}
	sum, err := a.arrange()
	if err != nil {
		return err
	}
	for i, place := range a.members {
		a.members[i] = s.order[place]
	}
	if err := writeOrder(f, a.members, int64(id.orderAt())); err != nil {
		return err
	}
	_, err = f.WriteAt(id.header(sum, orderSum(a.members)), 0)
	return err
}

// writeOrder writes the rows of places to a file, from a byte on.
func writeOrder(f *os.File, order []uint32, at int64) error {
	var buf []byte
	for part := range slices.Chunk(order, writtenBytes/4) {
		buf = buf[:0]
		for _, row := range part {
			buf = binary.LittleEndian.AppendUint32(buf, row)
		}
		if _, err := f.WriteAt(buf, at); err != nil {
			return err
		}
		at += int64(len(buf))
	}
	return nil
}

// arranger draws the leaders of all rows.
func (s copier) arranger(f *os.File, id rowsIdentity) (*arranger, error) {
	a := &arranger{Searcher: s.Searcher, file: f, size: id.size, near: locality.New(s.space, rowsSeed), count: min(max(id.size*id.places/ballBytes, 1), mostBalls)}
	return a, vectors.Guard(func() error {
		var leaders []byte
		for _, place := range locality.Draw(rowsSeed, id.places, a.count) {
			leaders = append(leaders, s.rows.Row(place)...)
		}
		a.near.Lead(leaders)
		a.near.Chain()
		return nil
	})
}

// choose finds the ball of every row.
func (a *arranger) choose() error {
	a.chosen = make([]uint16, len(a.order))
	return vectors.Ranges(a.opts.Threads, len(a.order), arrangedRows, func() func(from, to int) error {
		near := a.near.Clone()
		return func(from, to int) error {
			for p := from; p < to; p++ {
				a.chosen[p] = near.Nearest(a.rows.Row(p))
			}
			return a.opts.Context.Err()
		}
	})
}

// share writes the rows to the file, ball by ball.
func (a *arranger) share() error {
	a.members = make([]uint32, len(a.order))
	a.ends = locality.Gather(nil, a.chosen, a.count, a.members)
	b := &ballBuffers{arranger: a, bufs: make([][]byte, a.count), next: make([]int, a.count), bytes: max(1, chunkBytes(a.opts.Limit, a.count)/a.size) * a.size}
	copy(b.next[1:], a.ends)
	return vectors.Guard(func() error {
		for p, ball := range a.chosen {
			if err := b.add(ball, a.rows.Row(p)); err != nil {
				return err
			}
			if p%arrangedRows == 0 && a.opts.Context.Err() != nil {
				return a.opts.Context.Err()
			}
		}
		a.chosen = nil
		return b.flushAll()
	})
}

// ballBuffers collects rows of each ball until there are enough to write together.
type ballBuffers struct {
	*arranger
	bufs  [][]byte
	next  []int // next place of each ball in the file
	bytes int   // size of a buffer
}

func (b *ballBuffers) add(ball uint16, row []byte) error {
	if b.bufs[ball] == nil {
		b.bufs[ball] = make([]byte, 0, b.bytes)
	}
	if b.bufs[ball] = append(b.bufs[ball], row...); len(b.bufs[ball]) < b.bytes {
		return nil
	}
	return b.flush(int(ball))
}

func (b *ballBuffers) flush(ball int) error {
	_, err := b.file.WriteAt(b.bufs[ball], b.at(b.next[ball]))
	b.next[ball] += len(b.bufs[ball]) / b.size
	b.bufs[ball] = b.bufs[ball][:0]
	return err
}

func (b *ballBuffers) flushAll() error {
	for ball := range b.bufs {
		if err := b.flush(ball); err != nil {
			return err
		}
	}
	return nil
}

// at returns the position of a place's row in the file.
func (a *arranger) at(place int) int64 { return headerBytes + int64(a.size)*int64(place) }

// A piece is the places of a ball that are ordered together.
type piece struct{ from, to int }

// pieces returns all balls, in pieces.
func (a *arranger) pieces() (all []piece) {
	from, most := 0, max(1, pieceBytes/a.size)
	for _, end := range a.ends {
		for from < end {
			to := min(from+most, end)
			all = append(all, piece{from, to})
			from = to
		}
	}
	return all
}

// arrange orders the rows of each piece, and returns the sum of all rows.
func (a *arranger) arrange() (sum uint64, err error) {
	pieces := a.pieces()
	most := 0
	for _, p := range pieces {
		most = max(most, p.to-p.from)
	}
	abreast := max(1, min(int64(a.opts.Threads), a.opts.Limit/(2*pieceBytes)))
	err = vectors.Ranges(int(abreast), len(pieces), 1, func() func(from, to int) error {
		one := a.orderer(most)
		return func(from, _ int) error {
			part, err := one.order(pieces[from])
			a.mu.Lock()
			sum += part
			a.mu.Unlock()
			return err
		}
	})
	a.told = 0   // links are reported next
	runtime.GC() // frees the pieces, so that the heap does not hold them beside the links
	return sum, err
}

// An orderer puts the rows of pieces in order.
type orderer struct {
	*arranger
	near    *locality.Divider
	hash    *xxhash.Digest
	rows    []byte
	numbers []uint32
	before  []uint32 // places in their old order
	out     []byte
}

// orderer returns an orderer for pieces of at most so many rows, with all memory that it needs, so that none
// becomes garbage.
func (a *arranger) orderer(most int) *orderer {
	return &orderer{arranger: a, near: locality.New(a.space, rowsSeed), hash: xxhash.New(),
		rows: make([]byte, most*a.size), numbers: make([]uint32, most), before: make([]uint32, most), out: make([]byte, 0, max(writtenBytes, a.size))}
}

const writtenBytes = 1 << 20 // written at a time

// order reads a piece and writes it in order. It returns the sum of its rows.
func (o *orderer) order(p piece) (sum uint64, err error) {
	n := p.to - p.from
	o.rows, o.numbers, o.before = o.rows[:n*o.size], o.numbers[:n], o.before[:n]
	if _, err := o.file.ReadAt(o.rows, o.at(p.from)); err != nil {
		return 0, err
	}
	for i := range o.numbers {
		o.numbers[i] = uint32(i)
	}
	o.near.Order(o.rows, o.numbers)
	places := o.members[p.from:p.to]
	copy(o.before, places)
	for i, number := range o.numbers {
		places[i] = o.before[number]
		sum += sumRow(o.hash, o.Searcher.order[places[i]], o.row(number))
	}
	o.tell(n)
	return sum, errors.Join(o.write(p.from), o.opts.Context.Err())
}

func (o *orderer) row(number uint32) []byte { return o.rows[int(number)*o.size:][:o.size] }

// write writes the rows in their order, from a place on.
func (o *orderer) write(place int) error {
	for part := range slices.Chunk(o.numbers, max(1, writtenBytes/o.size)) {
		o.out = o.out[:0]
		for _, number := range part {
			o.out = append(o.out, o.row(number)...)
		}
		if _, err := o.file.WriteAt(o.out, o.at(place)); err != nil {
			return err
		}
		place += len(part)
	}
	return nil
}
