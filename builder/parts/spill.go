package parts

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// A Spill is the rows of a batch of groups side by side: in memory where the ledger has
// room for them, else on disk.
type Spill struct {
	leaves *Leaves
	batch  Batch
	buffer int // of a group
	region region
	starts []int64 // of groups in the region, and the end
}

// elsewhere stands for a leaf that is not in the group, which has no more leaves.
const elsewhere = math.MaxUint16

// spillBuffer is how much of a group is written at a time, and spillBuffers what the
// buffers of a batch may take: some two hundred groups have the first, more have less.
const (
	spillBuffer  = 128 << 10
	spillBuffers = 32 << 20
)

// Spill writes the rows of a batch, reading all rows once. dir is where the file goes if
// there is one.
func (l *Leaves) Spill(ctx context.Context, b Batch, dir string) (s *Spill, err error) {
	s = &Spill{leaves: l, batch: b, starts: make([]int64, b.To-b.From+1)}
	s.buffer = max(l.record(), min(spillBuffer, spillBuffers/max(1, b.To-b.From)))
	for i, g := range l.groups[b.From:b.To] {
		s.starts[i+1] = s.starts[i] + int64(g.rows)*int64(l.record())
	}
	if s.region, err = l.region(s.starts[len(s.starts)-1], dir); err != nil {
		return nil, err
	}
	if err := s.write(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close gives the space back.
func (s *Spill) Close() error { return s.region.Close() }

// Bytes is what is on disk: what has been written and not yet read, where the system
// takes space back from the middle of a file. It is safe for concurrent use.
func (s *Spill) Bytes() int64 { return s.region.onDisk() }

// spilling is one group while it is written.
type spilling struct {
	from, to uint32 // leaves
	buffer   []byte
	at       int64 // where the buffer goes
}

func (s *Spill) write(ctx context.Context) error {
	l := s.leaves
	groups := make([]spilling, s.batch.To-s.batch.From)
	for i := range groups {
		g := l.groups[s.batch.From+i]
		groups[i] = spilling{from: g.from, to: g.to, at: s.starts[i]}
	}
	of, w := l.groupOf(), l.walk()
	mine := make([]uint32, l.Overlap)
	for place := range l.Rows.Len() {
		for j := range mine {
			mine[j] = w.leaf(place*l.Overlap + j)
		}
		for j, leaf := range mine {
			g := int(of[leaf]) - s.batch.From
			if g < 0 || g >= len(groups) || inside(mine[:j], &groups[g]) {
				continue
			}
			if err := s.append(&groups[g], place, mine); err != nil {
				return err
			}
		}
		if place%ahead == 0 {
			_ = l.Rows.WillNeed(place+ahead, place+2*ahead)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	for i := range groups {
		if err := s.flush(&groups[i]); err != nil {
			return err
		}
	}
	return nil
}

// ahead is how many rows are asked for before they are read.
const ahead = 4096

// inside reports whether a row that was looked at stands in the group already.
func inside(leaves []uint32, g *spilling) bool {
	return slices.ContainsFunc(leaves, func(leaf uint32) bool { return leaf >= g.from && leaf < g.to })
}

func (s *Spill) append(g *spilling, place int, leaves []uint32) error {
	if g.buffer == nil {
		g.buffer = make([]byte, 0, s.buffer)
	}
	if len(g.buffer)+s.leaves.record() > s.buffer {
		if err := s.flush(g); err != nil {
			return err
		}
	}
	g.buffer = binary.LittleEndian.AppendUint32(g.buffer, uint32(place))
	for _, leaf := range leaves {
		own := uint16(elsewhere)
		if leaf >= g.from && leaf < g.to {
			own = uint16(leaf - g.from)
		}
		g.buffer = binary.LittleEndian.AppendUint16(g.buffer, own)
	}
	g.buffer = append(g.buffer, s.leaves.Rows.Row(place)...)
	return nil
}

func (s *Spill) flush(g *spilling) error {
	_, err := s.region.WriteAt(g.buffer, g.at)
	g.at += int64(len(g.buffer))
	g.buffer = g.buffer[:0]
	if err != nil {
		return fmt.Errorf("parts: %w", err)
	}
	return nil
}

// A Group is the rows of a group in memory.
type Group struct {
	Places []uint32 // ascending
	Rows   []byte   // their elements, one row after the other
	ids    []uint32 // rows of leaf i, as numbers in Places: ids[starts[i]:starts[i+1]]
	starts []uint32
	leafOf []uint16 // Overlap a row
	buffer []byte
}

// Leaves is how many leaves the group has.
func (g *Group) Leaves() int { return len(g.starts) - 1 }

// Leaf lists the rows of a leaf as numbers in Places, ascending.
func (g *Group) Leaf(i int) []uint32 { return g.ids[g.starts[i]:g.starts[i+1]] }

// readBytes is how much of a spill is read at a time.
const readBytes = 1 << 20

// Read reads a group of the batch into g, whose memory it reuses. It can be done once:
// space on disk is given back.
func (s *Spill) Read(number int, g *Group) error {
	l := s.leaves
	record, head := l.record(), l.recordHead()
	rows := l.groups[number].rows
	g.Places, g.leafOf, g.Rows = g.Places[:0], g.leafOf[:0], g.Rows[:0]
	g.Rows = slices.Grow(g.Rows, rows*rowSize(l.Rows))
	per := max(1, readBytes/record)
	g.buffer = slices.Grow(g.buffer[:0], per*record)
	at := s.starts[number-s.batch.From]
	for rows > 0 {
		n := min(rows, per)
		buf := g.buffer[:n*record]
		if _, err := s.region.ReadAt(buf, at); err != nil {
			return fmt.Errorf("parts: %w", err)
		}
		for ; len(buf) > 0; buf = buf[record:] {
			g.Places = append(g.Places, binary.LittleEndian.Uint32(buf))
			for j := range l.Overlap {
				g.leafOf = append(g.leafOf, binary.LittleEndian.Uint16(buf[4+2*j:]))
			}
			g.Rows = append(g.Rows, buf[head:record]...)
		}
		rows, at = rows-n, at+int64(n*record)
	}
	begin := s.starts[number-s.batch.From]
	s.region.giveBack(begin, at-begin)
	g.index(int(l.groups[number].to-l.groups[number].from), l.Overlap)
	return nil
}

// index lists the rows of every leaf.
func (g *Group) index(leaves, overlap int) {
	g.starts = append(g.starts[:0], make([]uint32, leaves+1)...)
	for _, leaf := range g.leafOf {
		if leaf != elsewhere {
			g.starts[leaf+1]++
		}
	}
	for i := range leaves {
		g.starts[i+1] += g.starts[i]
	}
	g.ids = append(g.ids[:0], make([]uint32, g.starts[leaves])...)
	next := slices.Clone(g.starts[:leaves])
	for at, leaf := range g.leafOf {
		if leaf != elsewhere {
			g.ids[next[leaf]] = uint32(at / overlap)
			next[leaf]++
		}
	}
}
