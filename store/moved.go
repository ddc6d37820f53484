package store

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// movedName is the file in DIR/scratch with the new path of the referenced file: the sealed
// manifest keeps the old one.
const movedName = "moved"

// NameAnew notes the new path of the file that the store references, if it has the same
// contents. For a store that has its own rows it does nothing. Errors: ErrClosed, those of
// vectors.File.Check.
func (s *Store) NameAnew(path string) error {
	if !s.graph.Enter() {
		return ErrClosed
	}
	defer s.graph.Leave()
	m := s.info.Manifest
	if m.Vectors != "reference" || len(m.Files) != 1 {
		return nil
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if m.Files[0].Path == path {
		return s.dropDerived(derivedMoved)
	}
	f := m.Files[0]
	f.Path = path
	if err := f.Check(); err != nil {
		return err
	}
	text, err := json.Marshal(path)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	note, err := s.makeDerived(derivedMoved)
	if err != nil {
		return err
	}
	defer note.Abort()
	if _, err := note.Write(text); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return note.Commit()
}
