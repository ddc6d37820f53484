package shards

import (
	"slices"

	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/objects"
)

// shard is the rows of a shard, in order.
type shard struct {
	rows  vectors.Source // good ones, or all where it is not known which are
	first int            // the place of the first of them
}

// input opens rows from up to to of the input, files that hold others left alone. They are valid
// until the next call.
func (s *Run) input(from, to int) (vectors.Source, error) {
	var files []vectors.File
	for _, f := range s.spec.Manifest.Files {
		if f.First >= to || f.First+f.Rows <= from {
			continue
		}
		files = append(files, f)
	}
	in, err := s.inputs.of(files, s.worker.Scratch)
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
func (s *Run) shard(number int) (*shard, error) {
	from, to := s.spec.shardRows(number)
	rows, err := s.input(from, to)
	if err != nil {
		return nil, err
	}
	lo, hi := s.fixed.badBefore(from), s.fixed.badBefore(to)
	var bad []uint32
	for _, row := range s.fixed.Bad[lo:hi] {
		bad = append(bad, row-uint32(from))
	}
	return &shard{rows: &audit.Without{Source: rows, Dropped: bad}, first: from - lo}, nil
}

// audit looks at every value of a shard.
func (s reading) audit(w *task) error {
	from, to := s.spec.shardRows(w.Part)
	rows, err := s.input(from, to)
	if err != nil {
		return err
	}
	report, err := vectors.Audit(rows, vectors.AuditOptions{Context: w.ctx, Threads: s.worker.Threads})
	if err != nil {
		return err
	}
	found := audit.Of(report, audit.RulesOf(s.space.Metric()))
	for i := range found.Rows {
		found.Rows[i] += uint32(from)
	}
	return w.out.Note(found)
}

// settle counts the rows that get lists.
func (s reading) settle(w *task) error {
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
	if len(bad.Rows) > 0 && (s.spec.BadRows == audit.Reject || n == 0) {
		return bad.Reject(s.spec.Manifest.Rows, s.spec.Manifest.Files)
	}
	return w.out.Note(settled{Bad: bad.Rows, N: n})
}

// among are those of some places, which ascend, that are in the shard.
func (r *shard) among(places []uint32) []uint32 {
	from, _ := slices.BinarySearch(places, uint32(r.first))
	to, _ := slices.BinarySearch(places, uint32(r.first+r.rows.Len()))
	return places[from:to]
}

// Remote opens inputs in object stores; a task fetches the bytes that it needs into scratch.
func Remote(scratch string) func(path string) (vectors.Remote, error) {
	return func(path string) (vectors.Remote, error) { return objects.Open(path, scratch) }
}
