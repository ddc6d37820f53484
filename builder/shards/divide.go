package shards

import (
	"encoding/binary"
	"fmt"

	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/internal/solve"
)

// parted is a division, as parts makes it.
func (s dividing) parted(number int, ps *points.Points) (*groups.Division, error) {
	rounding, err := s.rounding()
	if err != nil {
		return nil, err
	}
	g := s.goal()
	lap := g.OverlapOf(number)
	leaders := groups.Leaders(s.fixed.N, s.spec.Manifest.K, lap)
	return &groups.Division{Space: s.space, Rounding: rounding, Seed: s.spec.Seed, Number: uint32(number),
		Overlap: min(lap, leaders), Leaders: leaders, GroupBytes: solve.GroupBytes, RowBytes: solve.RowBytes(ps, s.spec.Manifest.K),
		Threads: s.worker.Threads, Memory: &s.ledger}, nil
}

// division is a division and the points.
func (s dividing) divisionOf(number int) (*groups.Division, *points.Points, error) {
	ps, err := s.points()
	if err != nil {
		return nil, nil, err
	}
	d, err := s.parted(number, ps)
	return d, ps, err
}

// lead sorts the leaders into cells.
func (s dividing) lead(w *task) error {
	d, _, err := s.divisionOf(w.Division)
	if err != nil {
		return err
	}
	drawn, err := sampling(s).drawn("draw", w.Division, 0, d.Leaders)
	if err != nil {
		return err
	}
	lead, err := d.Lead(w.ctx, drawn)
	if err != nil {
		return err
	}
	for i, numbers := range [][]uint32{lead.Heads, lead.Ends, lead.Places} {
		w.out.Put(uint64(i), u32s(numbers))
	}
	return nil
}

// leadOf reads the cells.
func (s dividing) leadOf(division int) (*groups.Lead, error) {
	lead := new(groups.Lead)
	err := s.with("lead", division, 0, func(p *pieces.Piece) (err error) {
		for i, numbers := range []*[]uint32{&lead.Heads, &lead.Ends, &lead.Places} {
			if *numbers, err = readU32s(p, uint64(i), nil); err != nil {
				return err
			}
		}
		return nil
	})
	return lead, err
}

// Sections of the file of assign.
const (
	assignedKey = 0 // leaders, Overlap a row
	sizesKey    = 1 // rows of every leader
)

// assign finds the leaders that the rows of a shard follow.
func (s dividing) assign(w *task) error {
	d, _, err := s.divisionOf(w.Division)
	if err != nil {
		return err
	}
	cells, err := s.cells(w.ctx, d)
	if err != nil {
		return err
	}
	shard, err := s.shard(w.Part)
	if err != nil {
		return err
	}
	assigned, err := offheap.Take[uint32](&s.ledger, shard.rows.Len()*d.Overlap)
	if err != nil {
		return err
	}
	defer assigned.Free()
	read := func(from, _ int, room []byte) error { return shard.rows.ReadRows(from, room) }
	if err := d.Assign(w.ctx, cells, shard.rows.Len(), read, assigned.Slice); err != nil {
		return err
	}
	sizes := make([]uint32, d.Leaders)
	section := w.out.Section(assignedKey, 4*int64(len(assigned.Slice)))
	buf := make([]byte, 0, 1<<16)
	for i, leader := range assigned.Slice {
		sizes[leader]++
		if buf = binary.LittleEndian.AppendUint32(buf, leader); len(buf) == cap(buf) || i+1 == len(assigned.Slice) {
			if _, err := section.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	section.End()
	w.out.Put(sizesKey, u32s(sizes))
	return nil
}

// cutNote is the note of cut.
type cutNote struct {
	Groups int `json:"groups"`
}

// totalKey is the section of cut with the rows of every leader; section i has those of the
// shards before shard i.
const totalKey = 1 << 32

// cut counts the rows of every leader: those of the shards before each, which tell the leaf
// of every row, and all.
func (s dividing) cut(w *task) error {
	d, _, err := s.divisionOf(w.Division)
	if err != nil {
		return err
	}
	running := make([]uint32, d.Leaders)
	err = s.eachPiece("assign", w.Division, func(part int, p *pieces.Piece) error {
		w.out.Put(uint64(part), u32s(running))
		sizes, err := readU32s(p, sizesKey, nil)
		if err != nil {
			return err
		}
		if len(sizes) != len(running) {
			return p.Damaged(fmt.Errorf("%d leaders, want %d", len(sizes), len(running)))
		}
		for i, size := range sizes {
			running[i] += size
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.out.Put(totalKey, u32s(running))
	layout := groups.NewLayout(running, groups.GroupRows(d.GroupBytes, d.RowBytes))
	return w.out.Note(cutNote{Groups: layout.Groups()})
}

// layout reads the leaves and groups of a division.
func (s dividing) layout(d *groups.Division) (*groups.Layout, error) {
	var layout *groups.Layout
	err := s.with("cut", int(d.Number), 0, func(p *pieces.Piece) error {
		sizes, err := readU32s(p, totalKey, nil)
		if err != nil {
			return err
		}
		if len(sizes) != d.Leaders {
			return p.Damaged(fmt.Errorf("%d leaders, want %d", len(sizes), d.Leaders))
		}
		layout = groups.NewLayout(sizes, groups.GroupRows(d.GroupBytes, d.RowBytes))
		return nil
	})
	return layout, err
}

// solvers is how many tasks solve the groups of a division.
func (s *Run) solvers(division int) (int, error) {
	var note cutNote
	if err := s.note("cut", division, &note); err != nil {
		return 0, err
	}
	return min(note.Groups, s.spec.Solvers), nil
}

// groupsOf are the groups of a solving task.
func (w *task) groupsOf(groups int) (from, to int) {
	return w.Part * groups / w.of, (w.Part + 1) * groups / w.of
}
