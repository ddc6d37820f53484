package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/knng/knng/vectors"
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
	note := filepath.Join(s.dir, scratchName, movedName)
	if m.Files[0].Path == path {
		if err := os.Remove(note); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("store: %w", err)
		}
		return nil
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
	if err := os.MkdirAll(filepath.Dir(note), 0o777); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := os.WriteFile(note+newSuffix, text, 0o666); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := os.Rename(note+newSuffix, note); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// found is a referenced file where it was, or where it was said to be since.
func (s *Store) found(f vectors.File) (vectors.File, error) {
	err := f.Check()
	if err == nil {
		return f, nil
	}
	if path := s.movedTo(); path != "" {
		moved := f
		if moved.Path = path; moved.Check() == nil {
			return moved, nil
		}
	}
	return f, fmt.Errorf("store: the referenced vectors: %w (where the file has moved, the build's command with its new name says so)", err)
}

// movedTo is the name that NameAnew noted; "" for none.
func (s *Store) movedTo() (path string) {
	note := filepath.Join(s.dir, scratchName, movedName)
	info, err := os.Lstat(note)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(note)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, toldBytes))
	if err != nil || json.Unmarshal(text, &path) != nil {
		return ""
	}
	return path
}
