package builder

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/controls"
	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// settled is known to all tasks, once all rows were read.
type settled struct {
	Bad []uint32 `json:"bad"` // input rows without a list, ascending
	N   int      `json:"n"`   // rows with one
}

// shards is how many shards the input has.
func (s *Shards) shards() int {
	return (s.spec.Manifest.Rows + s.spec.ShardRows - 1) / s.spec.ShardRows
}

// shardRows are the input rows of a shard.
func (s *Shards) shardRows(shard int) (from, to int) {
	from = shard * s.spec.ShardRows
	return from, min(from+s.spec.ShardRows, s.spec.Manifest.Rows)
}

// ranges is how many ranges of places have lists of their own.
func (s *Shards) ranges() (int, error) {
	fixed, err := s.settled()
	if err != nil {
		return 0, err
	}
	return (fixed.N + s.spec.Range - 1) / s.spec.Range, nil
}

// rangePlaces are the places of a range.
func (s *Shards) rangePlaces(r int) (from, to int) {
	from = r * s.spec.Range
	return from, min(from+s.spec.Range, s.fixed.N)
}

// settled reads the result of settle.
func (s *Shards) settled() (*settled, error) {
	if s.fixed != nil {
		return s.fixed, nil
	}
	fixed := new(settled)
	if err := s.note("settle", 0, fixed); err != nil {
		return nil, err
	}
	if rows := s.spec.Manifest.Rows; fixed.N < 1 || fixed.N+len(fixed.Bad) != rows || !slices.IsSorted(fixed.Bad) {
		return nil, fmt.Errorf("builder: settle found %d good and %d bad rows of %d", fixed.N, len(fixed.Bad), rows)
	}
	s.fixed = fixed
	return fixed, nil
}

// badBefore is how many of the rows before an input row have no list.
func (f *settled) badBefore(row int) int {
	return sort.Search(len(f.Bad), func(i int) bool { return int(f.Bad[i]) >= row })
}

// rowOf is the row of the output at a place: bad rows that are isolated keep their numbers,
// those that are dropped do not.
func (s *Shards) rowOf(place int) int {
	if s.opts.BadRows == Drop {
		return place
	}
	return place + sort.Search(len(s.fixed.Bad), func(i int) bool { return int(s.fixed.Bad[i])-i > place })
}

// outputRows is how many rows the graph has.
func (s *Shards) outputRows() int {
	if s.opts.BadRows == Drop {
		return s.fixed.N
	}
	return s.spec.Manifest.Rows
}

// points are those of a task, without rows.
func (s *Shards) points() (*points.Points, error) {
	fixed, err := s.settled()
	if err != nil {
		return nil, err
	}
	ps := &points.Points{Space: s.space, Threads: s.opts.Threads, K: min(s.opts.K, fixed.N-1)}
	ps.Use = points.GroupCodes
	return ps, nil
}

// shardRoom is the rows of a shard, in order.
type shardRoom struct {
	rows  vectors.Source // good ones, or all where it is not known which are
	first int            // the place of the first of them
}

// input opens rows from up to to of the input, files that hold others left alone. They are valid
// until the next call.
func (s *Shards) input(from, to int) (vectors.Source, error) {
	var files []vectors.File
	for _, f := range s.spec.Manifest.Files {
		if f.First >= to || f.First+f.Rows <= from {
			continue
		}
		files = append(files, f)
	}
	in, err := s.inputs.of(files, s.opts.Scratch)
	if err != nil {
		return nil, err
	}
	first := files[0].First
	return &rowRange{vectors.Scaled(vectors.Centered(in, s.spec.Manifest.Offsets), s.spec.Scale), from - first, to - from}, nil
}

// rowRange is some consecutive rows of a source.
type rowRange struct {
	vectors.Source
	first, n int
}

func (r *rowRange) Len() int { return r.n }

func (r *rowRange) ReadRows(first int, dst []byte) error {
	return r.Source.ReadRows(r.first+first, dst)
}

// shard opens the good rows of a shard.
func (s *Shards) shard(number int) (*shardRoom, error) {
	from, to := s.shardRows(number)
	rows, err := s.input(from, to)
	if err != nil {
		return nil, err
	}
	lo, hi := s.fixed.badBefore(from), s.fixed.badBefore(to)
	var bad []uint32
	for _, row := range s.fixed.Bad[lo:hi] {
		bad = append(bad, row-uint32(from))
	}
	return &shardRoom{rows: &audit.Without{Source: rows, Dropped: bad}, first: from - lo}, nil
}

// audit looks at every value of a shard.
func (s *Shards) audit(w *shardTask) error {
	from, to := s.shardRows(w.Part)
	rows, err := s.input(from, to)
	if err != nil {
		return err
	}
	report, err := vectors.Audit(rows, vectors.AuditOptions{Context: w.ctx, Threads: s.opts.Threads})
	if err != nil {
		return err
	}
	found := audit.Of(report, s.opts.auditRules())
	for i := range found.Rows {
		found.Rows[i] += uint32(from)
	}
	return w.out.Note(found)
}

// settle counts the rows that get lists.
func (s *Shards) settle(w *shardTask) error {
	var bad audit.Bad
	err := s.eachPiece("audit", 0, func(_ int, p *pieces.Piece) error {
		var found audit.Bad
		if err := p.Note(&found); err != nil {
			return err
		}
		if len(bad.Rows) == 0 {
			bad.Why = found.Why
		}
		bad.Rows = append(bad.Rows, found.Rows...)
		return nil
	})
	if err != nil {
		return err
	}
	n := s.spec.Manifest.Rows - len(bad.Rows)
	if len(bad.Rows) > 0 && (s.opts.BadRows == Reject || n == 0) {
		return bad.Reject(s.spec.Manifest.Rows)
	}
	return w.out.Note(settled{Bad: bad.Rows, N: n})
}

// steerers is how many rows steer.
func (s *Shards) steerers() int {
	if s.opts.Recall == 0 || s.fixed.N < 2 {
		return 0
	}
	return min(s.fixed.N, controls.Rows)
}

// steering lists the places that steer.
func (s *Shards) steering() []uint32 {
	places, _ := recall.Disjoint(s.fixed.N, s.steerers(), 0, s.opts.Seed)
	return places
}

// samples are the places whose rows the tasks of a stage draw: lists of them, each
// ascending.
func (s *Shards) samples(stage string, division int) ([][]uint32, error) {
	ps, err := s.points()
	if err != nil {
		return nil, err
	}
	switch stage {
	case "sample":
		fit := []uint32{}
		if !ps.BytesAreKeys() {
			fit = codes.FitSample(s.fixed.N, s.space.Dim())
		}
		return [][]uint32{s.steering(), fit}, nil
	case "draw":
		d, err := s.parted(division, ps)
		if err != nil {
			return nil, err
		}
		var leaders []uint32
		for _, place := range d.Draw(s.fixed.N) {
			leaders = append(leaders, uint32(place))
		}
		return [][]uint32{leaders}, nil
	}
	reporting, err := s.reporting()
	if err != nil {
		return nil, err
	}
	short, err := s.short()
	return [][]uint32{reporting, short}, err
}

// drawRows copies the rows of samples that are in a shard.
func (s *Shards) drawRows(w *shardTask) error {
	samples, err := s.samples(w.Stage, w.Division)
	if err != nil {
		return err
	}
	shard, err := s.shard(w.Part)
	if err != nil {
		return err
	}
	row := make([]byte, s.space.RowBytes())
	for i, places := range samples {
		places = shard.among(places)
		section := w.out.Section(uint64(i), int64(len(places)*len(row)))
		for _, place := range places {
			if err := shard.rows.ReadRows(int(place)-shard.first, row); err != nil {
				return err
			}
			if _, err := section.Write(row); err != nil {
				return err
			}
		}
		section.End()
	}
	return w.ctx.Err()
}

// among are those of some places, which ascend, that are in the shard.
func (r *shardRoom) among(places []uint32) []uint32 {
	from, _ := slices.BinarySearch(places, uint32(r.first))
	to, _ := slices.BinarySearch(places, uint32(r.first+r.rows.Len()))
	return places[from:to]
}

// drawn are the rows of a sample, one after the other.
func (s *Shards) drawn(stage string, division, sample, count int) (rows []byte, err error) {
	rows = make([]byte, 0, count*s.space.RowBytes())
	err = s.eachPiece(stage, division, func(_ int, p *pieces.Piece) (err error) {
		rows, err = p.Get(uint64(sample), rows)
		return err
	})
	if err == nil && len(rows) != count*s.space.RowBytes() {
		err = fmt.Errorf("the files of stage %s have %d bytes of sample %d, want %d rows", stage, len(rows), sample, count)
	}
	return rows, err
}

// fit finds the rounding of codes.
func (s *Shards) fit(w *shardTask) error {
	ps, err := s.points()
	if err != nil {
		return err
	}
	rounding := codes.Rounding{}
	if !ps.BytesAreKeys() {
		count := len(codes.FitSample(s.fixed.N, s.space.Dim()))
		sampled, err := s.drawn("sample", 0, 1, count)
		if err != nil {
			return err
		}
		rows, err := vectors.RowsOf(sampled, count, s.space.Dim(), s.space.RowBytes(), s.space.Type())
		if err != nil {
			return err
		}
		rounding = ps.Fitted(rows)
	}
	return w.out.Note(rounding)
}

func (s *Shards) rounding() (r codes.Rounding, err error) {
	err = s.note("fit", 0, &r)
	return r, err
}

// u32s are numbers as sections hold them.
func u32s(numbers []uint32) []byte {
	data := make([]byte, 0, 4*len(numbers))
	for _, x := range numbers {
		data = binary.LittleEndian.AppendUint32(data, x)
	}
	return data
}

// readU32s appends the numbers of a section.
func readU32s(p *pieces.Piece, key uint64, numbers []uint32) ([]uint32, error) {
	err := p.Each(key, 4, func(data []byte) error {
		for ; len(data) > 0; data = data[4:] {
			numbers = append(numbers, binary.LittleEndian.Uint32(data))
		}
		return nil
	})
	return numbers, err
}
