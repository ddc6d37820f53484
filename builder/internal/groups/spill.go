package groups

import (
	"context"
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/vectors"
)

// A Spill holds the rows of a batch of groups, in memory or on disk, group by group.
type Spill struct {
	leaves  *Leaves
	batch   Batch
	abreast int     // stretches that are written at the same time
	buffer  int     // bytes of a buffer of one group in one stretch
	region  *region // nil: in memory
	held    *held
	starts  []int64 // of groups in the region, and the end
}

// Spill stores the rows of a batch, reading all rows once. dir is the folder of the file, if there is one.
func (l *Leaves) Spill(ctx context.Context, b Batch, dir string) (s *Spill, err error) {
	s = &Spill{leaves: l, batch: b, starts: make([]int64, b.To-b.From+1)}
	s.abreast, s.buffer = buffers(b.To-b.From, l.record(), len(l.stretches))
	for i, rows := range l.groupRows[b.From:b.To] {
		s.starts[i+1] = s.starts[i] + int64(rows)*int64(l.record())
	}
	if err = s.take(ctx, dir); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// take reads the rows.
func (s *Spill) take(ctx context.Context, dir string) (err error) {
	l := s.leaves
	if s.batch.inMemory {
		if s.held = l.hold(l.once(s.batch), l.records(s.batch)); s.held != nil {
			return s.fill(ctx)
		}
	}
	if s.region, err = newRegion(dir); err != nil {
		return err
	}
	return s.write(ctx)
}

// buffers returns how many stretches are written at the same time, and the bytes that each buffers of a
// group: at least a record. All buffers together take fixed.GroupBuffers, or a record of every group if that
// is more.
func buffers(groups, record, stretches int) (abreast, bytes int) {
	ofGroup := min(fixed.GroupBuffer, fixed.GroupBuffers/max(1, groups))
	abreast = max(1, min(stretches, ofGroup/record))
	return abreast, max(record, ofGroup/abreast)
}

// Close frees the space on disk. Memory is kept for the next batch.
func (s *Spill) Close() error {
	if s.region == nil {
		return nil
	}
	return s.region.Close()
}

// Bytes returns the bytes on disk that are written and not yet read, if the system can free the middle of a
// file. It is safe for concurrent use.
func (s *Spill) Bytes() int64 {
	if s.region == nil {
		return 0
	}
	return s.region.onDisk()
}

// spilling is the rows of one group in a stretch while they are written.
type spilling struct {
	buffer []byte
	at     int64 // position of the buffer in the region
}

func (s *Spill) write(ctx context.Context) error {
	at := slices.Clone(s.starts)
	batch := s.batch.To - s.batch.From
	begins := make([][]spilling, len(s.leaves.stretches))
	for i, x := range s.leaves.stretches {
		begins[i] = make([]spilling, batch)
		for g := range batch {
			begins[i][g].at = at[g]
			at[g] += int64(x.rows[s.batch.From+g]) * int64(s.leaves.record())
		}
	}
	return vectors.Ranges(s.abreast, len(begins), 1, func() func(from, to int) error {
		return func(i, _ int) error {
			groups := begins[i]
			begins[i] = nil // so that its buffers can be freed
			return s.writeStretch(ctx, &s.leaves.stretches[i], groups)
		}
	})
}

// writeStretch writes the records of a stretch of rows to their positions in each group of the batch.
func (s *Spill) writeStretch(ctx context.Context, x *stretch, groups []spilling) error {
	l := s.leaves
	m := l.members(x, s.batch)
	for place := x.from; place < x.to; place++ {
		for _, g := range m.Next(l.leadersAt(place)) {
			if int(g) < s.batch.From || int(g) >= s.batch.To {
				continue
			}
			if err := s.append(&groups[int(g)-s.batch.From], m, g, place); err != nil {
				return err
			}
		}
		if (place-x.from)%ahead == 0 {
			_ = l.Rows.WillNeed(place+ahead, min(place+2*ahead, x.to))
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

// ahead is the number of rows that are requested before they are read.
const ahead = 4096

func (s *Spill) append(w *spilling, m *Members, g uint32, place int) error {
	if w.buffer == nil {
		w.buffer = make([]byte, 0, s.buffer)
	}
	if len(w.buffer)+s.leaves.record() > s.buffer {
		if err := s.flush(w); err != nil {
			return err
		}
	}
	w.buffer = m.Record(w.buffer, g, uint32(place), s.leaves.Rows.Row(place))
	return nil
}

func (s *Spill) flush(g *spilling) error {
	_, err := s.region.WriteAt(g.buffer, g.at)
	g.at += int64(len(g.buffer))
	g.buffer = g.buffer[:0]
	if err != nil {
		return fmt.Errorf("groups: %w", err)
	}
	return nil
}

// Expect brings the rows of a group from disk into the system's cache, from where the system may take the
// memory back: a second group in memory of our own would be too much. A read error is reported by Read.
func (s *Spill) Expect(number int) error {
	if from := number - s.batch.From; number < s.batch.To && s.region != nil {
		s.region.expect(s.starts[from], s.starts[from+1]-s.starts[from])
	}
	return nil
}

// readBytes is the amount of a spill that is read at a time.
const readBytes = 1 << 20

// Read reads a group of the batch into g, whose memory it reuses. A group can be read only once, because its
// space on disk is freed.
func (s *Spill) Read(number int, g *Group) error {
	l := s.leaves
	record, rows := l.record(), l.groupRows[number]
	if err := g.Clear(rows, rowSize(l.Rows)); err != nil {
		return fmt.Errorf("groups: %w", err)
	}
	if s.held != nil {
		if err := s.gather(number, g); err != nil {
			return err
		}
		g.Index(l.LeavesOf(number), l.Overlap)
		return nil
	}
	per := max(1, readBytes/record)
	g.buffer = slices.Grow(g.buffer[:0], per*record)
	begin := s.starts[number-s.batch.From]
	at := begin
	for rows > 0 {
		n := min(rows, per)
		buf := g.buffer[:n*record]
		if _, err := s.region.ReadAt(buf, at); err != nil {
			return fmt.Errorf("groups: %w", err)
		}
		g.Add(buf, l.Overlap, rowSize(l.Rows))
		rows, at = rows-n, at+int64(n*record)
	}
	s.region.giveBack(begin, at-begin)
	g.Index(l.LeavesOf(number), l.Overlap)
	return nil
}
