package shards

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/knng/knng/builder/internal/controls"
	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/recall"
)

// Sections of the file of fold.
const (
	listsKey  = 0 // lists of the places
	boundsKey = 1 // keys beyond which nothing enters them: see points.Bounds
	shortKey  = 2 // places whose lists are short
)

// solve makes the lists of the groups of one task, and writes them by the ranges of their
// places: a section for each range.
func (s solving) solve(w *task) error {
	d, ps, err := dividing(s).divisionOf(w.Division)
	if err != nil {
		return err
	}
	layout, err := dividing(s).layout(d)
	if err != nil {
		return err
	}
	spills, err := s.spills(w.Division)
	defer closeAll(spills)
	if err != nil {
		return err
	}
	bounds, err := s.boundsBefore(w.Division)
	if err != nil {
		return err
	}
	spool, err := s.spoolOf()
	if err != nil {
		return err
	}
	defer spool.close()
	solver := solve.Solver{Points: ps, Ctx: w.ctx, Wanted: s.spec.Manifest.K, Rounding: d.Rounding, Bounds: bounds, Memory: new(offheap.Ledger)}
	steer, err := s.steerOnce()
	if err != nil {
		return err
	}
	group := &s.kept.group
	var sum solve.Note
	from, to := w.groupsOf(layout.Groups())
	for g := from; g < to; g++ {
		if err := readGroup(group, spills, g, layout, d, s.fixed.N); err != nil {
			return err
		}
		d, err := solver.Solve(group, steer)
		if err != nil {
			return err
		}
		err = spool.add(&solver, d)
		d.Free()
		if err != nil {
			return err
		}
		sum.Add(d.Note.Counts)
		sum.Steered = append(sum.Steered, d.Note.Steered...)
	}
	if err := spool.writeTo(w.out); err != nil {
		return err
	}
	return w.out.Note(sum)
}

// spills opens the files of all shards.
func (s solving) spills(division int) (all []*pieces.Piece, err error) {
	for shard := range s.spec.shards() {
		p, err := s.open("spill", division, shard)
		if err != nil {
			return all, err
		}
		all = append(all, p)
	}
	return all, nil
}

func closeAll(all []*pieces.Piece) {
	for _, p := range all {
		p.Close() // it was read only
	}
}

// readGroup reads the rows of a group from all shards.
func readGroup(group *groups.Group, spills []*pieces.Piece, g int, layout *groups.Layout, d *groups.Division, n int) error {
	size := d.Space.RowBytes()
	record := groups.RecordBytes(d.Overlap, size)
	rows := int64(0)
	for _, p := range spills {
		rows += p.Size(uint64(g)) / int64(record)
	}
	if err := group.Clear(int(rows), size); err != nil {
		return err
	}
	for _, p := range spills {
		err := p.Each(uint64(g), record, func(data []byte) error {
			group.Add(data, d.Overlap, size)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := group.Check(layout.LeavesOf(g), n); err != nil {
		return fmt.Errorf("group %d: %w", g, err)
	}
	group.Index(layout.LeavesOf(g), d.Overlap)
	return nil
}

// readBounds reads the bounds of the lists of the division before.
func (s *Run) readBounds(division int, b *points.Bounds) error {
	if division == 1 {
		return nil
	}
	if err := b.Take(&s.ledger, s.fixed.N); err != nil {
		return err
	}
	return s.eachPiece("fold", division-1, func(r int, p *pieces.Piece) error {
		place, to := s.rangePlaces(r)
		if p.Size(boundsKey) != 2*int64(to-place) {
			return p.Damaged(fmt.Errorf("bounds of %d places, want %d", p.Size(boundsKey)/2, to-place))
		}
		return p.Each(boundsKey, 2, func(data []byte) error {
			for ; len(data) > 0; data = data[2:] {
				b.SetUpper(uint32(place), binary.LittleEndian.Uint16(data))
				place++
			}
			return nil
		})
	})
}

// steer are the exact lists of the rows that steer; nil where none do.
func (s *Run) steer() (*recall.Lists, error) {
	if s.steerers() == 0 {
		return nil, nil
	}
	ps, err := s.points()
	if err != nil {
		return nil, err
	}
	return sampling{s}.exactLists("controls", s.steering(), ps.K)
}

// spool keeps the lists of groups in a file without a name until those of a range can stand
// side by side.
type spool struct {
	file    *os.File
	at      int64      // bytes in the file
	data    []byte     // that come behind them
	width   int        // places of a range
	extents [][]extent // of ranges
}

type extent struct{ from, size int64 }

func (s solving) spoolOf() (*spool, error) {
	f, err := os.CreateTemp(s.worker.Scratch, "knng-lists-")
	if err != nil {
		return nil, err
	}
	ranges, err := s.ranges()
	return &spool{file: f, width: s.spec.Range, extents: make([][]extent, ranges)}, errors.Join(err, os.Remove(f.Name()))
}

func (o *spool) close() { o.file.Close() }

// add takes the lists of a group, by ranges.
func (o *spool) add(s *solve.Solver, d *solve.Solved) error {
	r, from := -1, o.end()
	cut := func() {
		if o.end() > from {
			o.extents[r] = append(o.extents[r], extent{from, o.end() - from})
		}
	}
	err := s.Each(d, func(place uint32, near []uint32, keys []float32) error {
		if other := int(place) / o.width; other != r {
			cut()
			r, from = other, o.end()
		}
		if o.data = encodeList(o.data, place, near, keys); len(o.data) < listBytes {
			return nil
		}
		return o.flush()
	})
	cut()
	return err
}

func (o *spool) end() int64 { return o.at + int64(len(o.data)) }

func (o *spool) flush() error {
	n, err := o.file.WriteAt(o.data, o.at)
	o.at, o.data = o.at+int64(n), o.data[:0]
	return err
}

// writeTo writes a section for every range.
func (o *spool) writeTo(out *pieces.Writer) error {
	if err := o.flush(); err != nil {
		return err
	}
	for r, extents := range o.extents {
		size := int64(0)
		for _, e := range extents {
			size += e.size
		}
		section := out.Section(uint64(r), size)
		for _, e := range extents {
			if _, err := io.Copy(section, io.NewSectionReader(o.file, e.from, e.size)); err != nil {
				return err
			}
		}
		section.End()
	}
	return nil
}

// fold unites the lists of a range of places with those that a division found for it.
func (s folding) fold(w *task) error {
	ps, err := s.points()
	if err != nil {
		return err
	}
	st := s.stripeOf(w.Part, ps.K)
	take := func(p *pieces.Piece, key uint64) error {
		var wrong error // of a list
		err := eachList(p, key, func(place uint32, ids []uint32, keys []float32) error {
			wrong = st.OfferList(place, ids, keys, s.fixed.N)
			return wrong
		})
		if wrong != nil {
			return p.Damaged(wrong)
		}
		return errors.Join(err, w.ctx.Err())
	}
	if w.Division > 1 {
		if err := s.with("fold", w.Division-1, w.Part, func(p *pieces.Piece) error { return take(p, listsKey) }); err != nil {
			return err
		}
	}
	err = s.eachPiece("solve", w.Division, func(_ int, p *pieces.Piece) error { return take(p, uint64(w.Part)) })
	if err != nil {
		return err
	}
	return writeStripe(st, w.out, ps.K)
}

// writeStripe writes the lists of a range, their bounds, and which are short.
func writeStripe(st *solve.Stripe, out *pieces.Writer, k int) error {
	var short []uint32
	bounds := make([]byte, 0, 2*(st.To-st.From))
	for place := st.From; place < st.To; place++ {
		bound := float32(math.Inf(1))
		if _, keys := st.List(place); len(keys) == k {
			bound = keys[k-1]
		} else {
			short = append(short, uint32(place))
		}
		bounds = binary.LittleEndian.AppendUint16(bounds, points.Upper(bound))
	}
	if err := writeLists(out, listsKey, st.Lists, st.From, st.To-st.From); err != nil {
		return err
	}
	out.Put(boundsKey, bounds)
	out.Put(shortKey, u32s(short))
	return nil
}

// decision is made after a division.
type decision struct {
	State   job.State     `json:"state"`
	Kind    string        `json:"kind"` // of the stage after it
	Stop    string        `json:"stop"` // why there is none
	Steered []solve.Noted `json:"steered,omitempty"`
}

// decision reads the decision after a division; after none, there is a first one.
func (s *Run) decision(number int) (*decision, error) {
	if number == 0 {
		return &decision{State: job.State{Method: job.PartsMethod, Rows: s.fixed.N, Fits: true, Foretells: true, Steer: s.steerers(), Drawn: controls.Drawn}}, nil
	}
	d := new(decision)
	return d, s.note("decide", number, d)
}

// decide measures the lists of the rows that steer, and decides as a build on one machine
// does.
func (s folding) decide(w *task) error {
	d, err := s.decision(w.Division - 1)
	if err != nil {
		return err
	}
	truth, err := s.steer()
	if err != nil {
		return err
	}
	st := job.Stage{Kind: job.DivisionStage, Number: w.Division}
	if err := s.countDivision(w.Division, truth, d, &st); err != nil {
		return err
	}
	g := s.goal()
	g.NoteLeaves(&d.State, &st)
	d.State.Stages = append(d.State.Stages, st)
	d.Kind, d.Stop = g.NextParts(&d.State)
	d.State.Stop = d.Stop
	return w.out.Note(d)
}

// countDivision adds up the notes of the tasks of a division.
func (s folding) countDivision(number int, truth *recall.Lists, d *decision, st *job.Stage) error {
	var places []uint32
	if truth != nil {
		places = truth.Places
	}
	ps, err := s.points()
	if err != nil {
		return err
	}
	lists := solve.NewSteered(places, ps.K)
	defer lists.Free()
	if err := lists.Offer(d.Steered); err != nil {
		return err
	}
	err = s.eachPiece("solve", number, func(_ int, p *pieces.Piece) error {
		var note solve.Note
		if err := p.Note(&note); err != nil {
			return err
		}
		st.Requested += note.Requested
		st.Evaluated += note.Evaluated
		return lists.Offer(note.Steered)
	})
	if err != nil || truth == nil {
		return err
	}
	d.Steered = lists.Notes(places)
	st.Recall, st.Margin = lists.Recall(truth)
	return nil
}

// goesOn refuses to go on by other means than divisions by codes.
func (d *decision) goesOn() error {
	if d.Kind == job.DivisionStage {
		return nil
	}
	last := d.State.Last()
	return fmt.Errorf("%w: it is %.4f on %d steering rows after %d divisions, and another one would add next to nothing: "+
		"ask for less with --recall, limit --divisions, or build on one machine, which goes on by exact distances", ErrReach, last.Recall, d.State.Steer, len(d.State.Stages))
}
