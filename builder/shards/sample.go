package shards

import (
	"fmt"

	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// samples are the places whose rows the tasks of a stage draw: lists of them, each
// ascending.
func (s sampling) samples(stage string, division int) ([][]uint32, error) {
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
		d, err := dividing(s).parted(division, ps)
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
func (s sampling) drawRows(w *task) error {
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

// drawn are the rows of a sample, one after the other.
func (s sampling) drawn(stage string, division, sample, count int) (rows []byte, err error) {
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
func (s sampling) fit(w *task) error {
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
