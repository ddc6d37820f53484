package shards

import (
	"encoding/binary"
	"fmt"
	"slices"

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
	lap, err := s.leaves(number)
	if err != nil {
		return nil, err
	}
	g, leaders := s.goal(), groups.Leaders(s.fixed.N, s.spec.Manifest.K, lap)
	whole := g.PartsOverlap(s.fixed.N)
	return &groups.Division{Space: s.space, Rounding: rounding, Seed: s.spec.Seed, Number: uint32(number),
		Overlap: min(lap, leaders), Leaders: leaders, GroupBytes: solve.BytesOfGroup(whole), RowBytes: solve.RowBytes(ps, s.spec.Manifest.K, whole),
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

// leadRange is how many leaders one task finds cells for. Of a billion rows there are four million, whose
// cells take some fifteen seconds of one core.
var leadRange = 1 << 16 // a variable for tests

// leaves is how many leaves a row stands in within a division, by the decision before it.
func (s *Run) leaves(division int) (int, error) {
	d, err := s.decision(division - 1)
	if err != nil {
		return 0, err
	}
	g := s.goal()
	return g.PartsLeaves(&d.State), nil
}

// leadTasks is how many tasks find cells for the leaders of a division of so many rows, and so many leaves of each.
func (s *Run) leadTasks(rows, leaves int) int {
	return (groups.Leaders(rows, s.spec.Manifest.K, leaves) + leadRange - 1) / leadRange
}

// Sections of the file of heads.
const (
	headsKey    = 0 // numbers of the leaders that are heads
	headRowsKey = 1 // their rows
)

// heads orders the leaders that are heads.
func (s dividing) heads(w *task) error {
	d, _, err := s.divisionOf(w.Division)
	if err != nil {
		return err
	}
	size := s.space.RowBytes()
	numbers := d.HeadNumbers()
	rows := make([]byte, 0, len(numbers)*size)
	err = s.eachDrawn(w.Division, 0, d.Leaders, func(first int, drawn []byte) error {
		for at := len(rows) / size; at < len(numbers) && int(numbers[at]) < first+len(drawn)/size; at++ {
			i := int(numbers[at]) - first
			rows = append(rows, drawn[i*size:(i+1)*size]...)
		}
		return w.ctx.Err()
	})
	if err != nil {
		return err
	}
	heads, err := d.Heads(w.ctx, rows)
	if err != nil {
		return err
	}
	w.out.Put(headsKey, u32s(heads))
	section := w.out.Section(headRowsKey, int64(len(rows)))
	for _, head := range heads {
		i, _ := slices.BinarySearch(numbers, head)
		if _, err := section.Write(rows[i*size : (i+1)*size]); err != nil {
			return err
		}
	}
	section.End()
	return nil
}

// lead finds the cells of a range of leaders.
func (s dividing) lead(w *task) error {
	d, _, err := s.divisionOf(w.Division)
	if err != nil {
		return err
	}
	cells, err := s.emptyCells(w.ctx, d)
	if err != nil {
		return err
	}
	from, to := w.Part*leadRange, min((w.Part+1)*leadRange, d.Leaders)
	size := s.space.RowBytes()
	rows := make([]byte, 0, (to-from)*size)
	err = s.eachDrawn(w.Division, from, to, func(first int, drawn []byte) error {
		lo, hi := max(0, from-first), min(len(drawn)/size, to-first)
		rows = append(rows, drawn[lo*size:hi*size]...)
		return w.ctx.Err()
	})
	if err != nil {
		return err
	}
	homes, err := d.Homes(w.ctx, cells, rows)
	w.out.Put(0, u32s(homes))
	return err
}

// eachDrawn calls fn with the rows of leaders that were drawn, those of a shard after the other, of the
// shards that have some of the leaders from up to to; first is the number of the first of them.
func (s dividing) eachDrawn(division, from, to int, fn func(first int, drawn []byte) error) error {
	samples, err := sampling(s).samples("draw", division)
	if err != nil {
		return err
	}
	places, size := samples[0], s.space.RowBytes()
	before := func(shard int) int { // leaders of the shards before it
		row, _ := s.spec.shardRows(shard)
		i, _ := slices.BinarySearch(places, uint32(row-s.fixed.badBefore(row)))
		return i
	}
	var drawn []byte
	for shard := range s.spec.shards() {
		first, end := before(shard), before(shard+1)
		if first >= to || end <= from {
			continue
		}
		err := s.with("draw", division, shard, func(p *pieces.Piece) (err error) {
			if drawn, err = p.Get(0, drawn[:0]); err == nil && len(drawn) != (end-first)*size {
				err = p.Damaged(fmt.Errorf("%d bytes of leaders, want %d rows", len(drawn), end-first))
			}
			return err
		})
		if err != nil {
			return err
		}
		if err := fn(first, drawn); err != nil {
			return err
		}
	}
	return nil
}

// headsOf reads the numbers of the heads.
func (s dividing) headsOf(division int) (heads []uint32, err error) {
	err = s.with("heads", division, 0, func(p *pieces.Piece) error {
		heads, err = readU32s(p, headsKey, nil)
		return err
	})
	return heads, err
}

// homesOf reads the cells of all leaders.
func (s dividing) homesOf(division int) (homes []uint32, err error) {
	err = s.eachPiece("lead", division, func(_ int, p *pieces.Piece) error {
		homes, err = readU32s(p, 0, homes)
		return err
	})
	return homes, err
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
