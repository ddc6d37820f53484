package groups

import (
	"context"
	"slices"

	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/vectors"
)

// held is the rows of a batch in memory, each row once, however many groups of the batch it is in: a row is
// in 2.4 of 37 groups, but in 1.5 of three batches. So a batch in memory takes no more than its share of the
// rows, and nothing is written to disk.
type held struct {
	places offheap.Block[uint32] // of rows, ascending within a stretch
	rows   offheap.Block[byte]   // their elements
	number offheap.Block[uint32] // of each record, group by group: the number of its row
	leaves offheap.Block[uint16] // Overlap entries per record, as in a spill on disk
}

// heldBytes returns the memory of a batch of so many rows and records.
func (l *Leaves) heldBytes(rows, records int) int64 {
	return int64(rows)*int64(4+rowSize(l.Rows)) + int64(records)*int64(recordHead(l.Overlap))
}

// hold returns memory for a batch, or nil if there is none. It reuses that of the previous batch: freeing and
// allocating it costs more than filling it.
func (l *Leaves) hold(rows, records int) *held {
	if h := l.held; h != nil && rows <= len(h.places.Slice) && records <= len(h.number.Slice) {
		return h
	}
	l.letGo()
	rows, records = max(rows, l.mostRows), max(records, l.mostRecords)
	var h held
	var room [4]bool
	h.places, room[0] = offheap.TakeMemory[uint32](l.Memory, rows)
	h.rows, room[1] = offheap.TakeMemory[byte](l.Memory, rows*rowSize(l.Rows))
	h.number, room[2] = offheap.TakeMemory[uint32](l.Memory, records)
	h.leaves, room[3] = offheap.TakeMemory[uint16](l.Memory, records*l.Overlap)
	if slices.Contains(room[:], false) {
		h.free()
		return nil
	}
	l.held = &h
	return &h
}

// letGo frees the memory of batches.
func (l *Leaves) letGo() {
	if l.held != nil {
		l.held.free()
		l.held = nil
	}
}

func (h *held) free() {
	h.places.Free()
	h.rows.Free()
	h.number.Free()
	h.leaves.Free()
}

// A filling copies a stretch of rows into memory. It knows the position of the next row, and of the next
// record of each group; backwards, the positions behind these.
type filling struct {
	*Spill
	stretch *stretch
	members *Members
	row     int
	at      []int // of each group of the batch
}

// fillings returns the fillings of all stretches: at their starts, or backwards at their ends.
func (s *Spill) fillings(backwards bool) []filling {
	l, row, at := s.leaves, 0, make([]int, s.batch.To-s.batch.From)
	for i := range at {
		at[i] = int(s.starts[i] / int64(l.record()))
	}
	all := make([]filling, len(l.stretches))
	for i := range all {
		x := &l.stretches[i]
		f := filling{Spill: s, stretch: x, row: row, at: slices.Clone(at)}
		row += x.once(s.batch)
		for g, rows := range x.rows[s.batch.From:s.batch.To] {
			at[g] += rows
		}
		if backwards {
			f.row, f.at, f.members = row, slices.Clone(at), l.membersBehind(i, s.batch)
		} else {
			f.members = l.members(x, s.batch)
		}
		all[i] = f
	}
	return all
}

// fill reads all rows once, and keeps those of the batch. It reads forwards and backwards in turn: if the system's
// cache holds a part of the rows, that is the part read last.
func (s *Spill) fill(ctx context.Context) error {
	l := s.leaves
	l.backwards = !l.backwards
	all := s.fillings(l.backwards)
	return vectors.Ranges(len(all), len(all), 1, func() func(from, to int) error {
		return func(i, _ int) error {
			if l.backwards {
				return all[i].back(ctx)
			}
			return all[i].forth(ctx)
		}
	})
}

func (f *filling) forth(ctx context.Context) error {
	l, x := f.leaves, f.stretch
	for from := x.from; from < x.to; from += ahead {
		to := min(from+ahead, x.to)
		_ = l.Rows.WillNeed(to, min(to+ahead, x.to))
		for place := from; place < to; place++ {
			if f.put(place, f.row, f.members.Next(l.leadersAt(place)), 0) {
				f.row++
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (f *filling) back(ctx context.Context) error {
	l, x := f.leaves, f.stretch
	for to := x.to; to > x.from; to -= ahead {
		from := max(to-ahead, x.from)
		_ = l.Rows.WillNeed(max(from-ahead, x.from), from)
		for place := to - 1; place >= from; place-- {
			if f.put(place, f.row-1, f.members.Before(l.leadersAt(place)), 1) {
				f.row--
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// put stores a row, as number row, if a group of the batch has it. Its records are placed back before the
// positions in f.at.
func (f *filling) put(place, row int, groups []uint32, back int) (kept bool) {
	h, lap := f.held, f.leaves.Overlap
	for _, g := range groups {
		if int(g) < f.batch.From || int(g) >= f.batch.To {
			continue
		}
		i := int(g) - f.batch.From
		at := f.at[i] - back
		f.at[i] += 1 - 2*back
		h.number.Slice[at] = uint32(row)
		f.members.own(h.leaves.Slice[at*lap:(at+1)*lap], g)
		kept = true
	}
	if kept {
		h.places.Slice[row] = uint32(place)
		size := rowSize(f.leaves.Rows)
		copy(h.rows.Slice[row*size:(row+1)*size], f.leaves.Rows.Row(place))
	}
	return kept
}

// gatherRows is the number of rows of a group that a goroutine gathers at a time.
const gatherRows = 2048

// gather copies a group out of the memory of the batch.
func (s *Spill) gather(number int, g *Group) error {
	l, h, rows := s.leaves, s.held, s.leaves.groupRows[number]
	size := rowSize(l.Rows)
	from := int(s.starts[number-s.batch.From] / int64(l.record()))
	numbers := h.number.Slice[from : from+rows]
	g.Places, g.Rows = g.Places[:rows], g.Rows[:rows*size]
	g.leafOf = append(g.leafOf, h.leaves.Slice[from*l.Overlap:(from+rows)*l.Overlap]...)
	return vectors.Ranges(l.Threads, rows, gatherRows, func() func(from, to int) error {
		return func(from, to int) error {
			for i := from; i < to; i++ {
				n := int(numbers[i])
				g.Places[i] = h.places.Slice[n]
				copy(g.Rows[i*size:(i+1)*size], h.rows.Slice[n*size:(n+1)*size])
			}
			return nil
		}
	})
}
