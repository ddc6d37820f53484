package store

import (
	"encoding/json"
	"fmt"
	"path/filepath"
)

// movedName is the file in DIR/scratch that says where the referenced file is now: what is
// sealed stays as it is.
const movedName = "moved"

// NameAnew notes where the file is now that the store references, which is told by its
// contents. A store that has its own rows needs none.
func (s *Store) NameAnew(path string) error {
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
	note, err := s.MakeDerived(derivedMoved)
	if err != nil {
		return err
	}
	defer note.Abort()
	if _, err := note.Write(text); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return note.Commit()
}
