package store

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/vectors"
)

// scratch is the folder of a build's derived files: DIR/scratch, or one of the build's own within
// a folder that was given. The time when the build was begun is part of that one's name.
type scratch struct {
	dir   string // of the store
	home  *rooted.Dir
	given string // "": none
	swept bool   // the folder elsewhere
}

// make makes the folder where it is not there, and returns its path.
func (s *scratch) make(created string) (string, error) {
	if s.given != "" {
		return s.path(created), s.makeElsewhere(created)
	}
	if err := s.home.MkdirAll(scratchName, 0o777); err != nil {
		return "", fmt.Errorf("store: %w", err)
	}
	return s.path(created), nil
}

// open makes the folder and opens it.
func (s *scratch) open(created string) (*rooted.Dir, error) {
	path, err := s.make(created)
	if err != nil {
		return nil, err
	}
	if s.given != "" {
		return openHome(path)
	}
	dir, err := s.home.Sub(scratchName)
	if err != nil {
		err = fmt.Errorf("store: %w", err)
	}
	return dir, err
}

// makeElsewhere makes the folder within one that was given, and sweeps it.
func (s *scratch) makeElsewhere(created string) error {
	if err := os.MkdirAll(s.given, 0o777); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	given, err := openHome(s.given)
	if err != nil {
		return err
	}
	defer given.Close()
	own := filepath.Base(s.path(created))
	if err := given.MkdirAll(own, 0o777); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if s.swept {
		return nil
	}
	s.swept = true
	return sweep(given, own)
}

func (s *scratch) path(created string) string {
	if s.given == "" {
		return filepath.Join(s.dir, scratchName)
	}
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		dir = s.dir
	}
	mark := sha256.Sum256([]byte(dir + "\x00" + created))
	return filepath.Join(s.given, fmt.Sprintf("knng-%x", mark[:8]))
}

// drop removes the build's own scratch folder, or in DIR/scratch the data that killed
// processes had received from streams.
func (s *scratch) drop(created string) {
	if s.given != "" {
		_ = os.RemoveAll(s.path(created))
		return
	}
	names, _ := s.home.List(scratchName)
	for _, name := range names {
		if left, _ := path.Match(vectors.ReceivedPattern, name); left {
			_ = s.home.Remove(path.Join(scratchName, name))
		}
	}
}

// scratchApart refuses a scratch folder within the store, but for DIR/scratch: its files
// would be sealed.
func scratchApart(dir, scratch string) error {
	rel, within := inFolder(dir, scratch)
	if scratch == "" || !within {
		return nil
	}
	if first, _, _ := strings.Cut(filepath.ToSlash(rel), "/"); first != scratchName {
		return fmt.Errorf("store: the scratch folder %s lies in the store %s, which is sealed as a whole: want one elsewhere, or none, which is %s",
			scratch, dir, filepath.Join(dir, scratchName))
	}
	return nil
}
