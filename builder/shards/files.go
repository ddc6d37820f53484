package shards

import (
	"errors"
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/pieces"
)

// has reports whether the file of a task is there.
func (s *Run) has(t Task, of int) (bool, error) {
	names, err := s.folder.List(folderOf(t.Stage, t.Division))
	return slices.Contains(names, fmt.Sprintf("%05d-of-%05d", t.Part, of)), err
}

// open opens the file of a task.
func (s *Run) open(stage string, division, part int) (*pieces.Piece, error) {
	of, err := kinds[stage].parts(s, division)
	if err != nil {
		return nil, err
	}
	return pieces.Open(s.folder, s.name, pieceName(Task{stage, division, part}, of))
}

// with calls fn with the file of a task.
func (s *Run) with(stage string, division, part int, fn func(p *pieces.Piece) error) error {
	p, err := s.open(stage, division, part)
	if err != nil {
		return err
	}
	return errors.Join(fn(p), p.Close())
}

// eachPiece calls fn with the file of every task of a stage, in order.
func (s *Run) eachPiece(stage string, division int, fn func(part int, p *pieces.Piece) error) error {
	of, err := kinds[stage].parts(s, division)
	if err != nil {
		return err
	}
	for part := range of {
		if err := s.with(stage, division, part, func(p *pieces.Piece) error { return fn(part, p) }); err != nil {
			return err
		}
	}
	return nil
}

// note reads the note of the only task of a stage.
func (s *Run) note(stage string, division int, v any) error {
	return s.with(stage, division, 0, func(p *pieces.Piece) error { return p.Note(v) })
}
