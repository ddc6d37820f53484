package shards

import (
	"fmt"

	"github.com/knng/knng/builder/internal/arrange"
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/internal/pieces"
)

// spilling writes the rows of a shard by groups.
type spilling struct {
	overlap  int
	record   int
	sections []*pieces.Section // of groups; nil where the shard has no rows of one
	buffers  [][]byte
	buffer   int
}

// spill writes the rows of a shard by groups: a section for each.
func (s dividing) spill(w *task) error {
	d, _, err := s.divisionOf(w.Division)
	if err != nil {
		return err
	}
	layout, err := s.layout(d)
	if err != nil {
		return err
	}
	shard, err := s.shard(w.Part)
	if err != nil {
		return err
	}
	assigned, err := s.assigned(w, shard.rows.Len()*d.Overlap)
	if err != nil {
		return err
	}
	defer assigned.Free()
	met, err := s.met(w, d.Leaders)
	if err != nil {
		return err
	}
	counts := layout.Count(layout.Members(d.Overlap, append([]uint32(nil), met...)), assigned.Slice)
	out := &spilling{overlap: d.Overlap, record: groups.RecordBytes(d.Overlap, s.space.RowBytes())}
	out.begin(w.out, counts)
	return s.writeRecords(w, shard, layout.Members(d.Overlap, met), assigned.Slice, out)
}

// assigned reads the leaders of the rows of a shard.
func (s dividing) assigned(w *task, count int) (assigned offheap.Block[uint32], err error) {
	if assigned, err = offheap.Take[uint32](&s.ledger, count); err != nil {
		return assigned, err
	}
	err = s.with("assign", w.Division, w.Part, func(p *pieces.Piece) error {
		if p.Size(assignedKey) != 4*int64(count) {
			return p.Damaged(fmt.Errorf("%d bytes of leaders, want %d", p.Size(assignedKey), 4*count))
		}
		_, err := readU32s(p, assignedKey, assigned.Slice[:0])
		return err
	})
	if err != nil {
		assigned.Free()
	}
	return assigned, err
}

// met are the rows of every leader in the shards before.
func (s dividing) met(w *task, leaders int) (met []uint32, err error) {
	err = s.with("cut", w.Division, 0, func(p *pieces.Piece) (err error) {
		if met, err = readU32s(p, uint64(w.Part), nil); err == nil && len(met) != leaders {
			err = p.Damaged(fmt.Errorf("%d leaders, want %d", len(met), leaders))
		}
		return err
	})
	return met, err
}

func (o *spilling) begin(out *pieces.Writer, counts []int) {
	o.sections, o.buffers = make([]*pieces.Section, len(counts)), make([][]byte, len(counts))
	used := 0
	for g, rows := range counts {
		if rows > 0 {
			o.sections[g] = out.Section(uint64(g), int64(rows)*int64(o.record))
			used++
		}
	}
	o.buffer = max(o.record, min(fixed.GroupBuffer, fixed.GroupBuffers/max(1, used)))
}

// flush writes the buffer of a group.
func (o *spilling) flush(g int) error {
	_, err := o.sections[g].Write(o.buffers[g])
	o.buffers[g] = o.buffers[g][:0]
	return err
}

// writeRecords reads the rows of a shard and writes the record of each for every group that
// it stands in.
func (s dividing) writeRecords(w *task, shard *shard, m *groups.Members, assigned []uint32, out *spilling) error {
	size := s.space.RowBytes()
	room := make([]byte, max(1, arrange.Chunk/size)*size)
	for from := 0; from < shard.rows.Len(); from += len(room) / size {
		room = room[:min(len(room)/size, shard.rows.Len()-from)*size]
		if err := shard.rows.ReadRows(from, room); err != nil {
			return err
		}
		for i := range len(room) / size {
			at := (from + i) * out.overlap
			for _, g := range m.Next(assigned[at : at+out.overlap]) {
				if out.buffers[g] == nil {
					out.buffers[g] = make([]byte, 0, out.buffer)
				}
				if len(out.buffers[g])+out.record > out.buffer {
					if err := out.flush(int(g)); err != nil {
						return err
					}
				}
				out.buffers[g] = m.Record(out.buffers[g], g, uint32(shard.first+from+i), room[i*size:(i+1)*size])
			}
		}
		if err := w.ctx.Err(); err != nil {
			return err
		}
	}
	for g, section := range out.sections {
		if section == nil {
			continue
		}
		if err := out.flush(g); err != nil {
			return err
		}
		section.End()
	}
	return nil
}
