package store

import (
	"errors"
	"io/fs"

	"github.com/knng/knng/vectors"
)

// InputOf returns the input of the build in dir as its manifest describes it,
// without reading it, where the build does not need to: it is finished, or the
// store has its own copy of the rows. Else it returns nil, also where paths and
// limit name another input than the manifest; opening them tells what differs. A
// file that is gone is taken for the one that was there, and stdin, "-", for what
// came from it.
func InputOf(dir string, paths []string, limit int) (*vectors.Input, error) {
	m, err := writtenManifest(dir)
	if err != nil || m == nil || !m.holds(paths, limit) {
		return nil, err
	}
	t, err := m.typ()
	if err != nil {
		return nil, err
	}
	return vectors.Described(m.Files, m.Rows, m.Dim, t), nil
}

// writtenManifest is the manifest of a store that has its rows; nil where it has
// none, or there is no store.
func writtenManifest(dir string) (*Manifest, error) {
	state, err := StateOf(dir)
	if err != nil {
		return nil, err
	}
	switch state {
	case Finished:
		s, err := Open(dir, nil)
		if err != nil {
			return nil, err
		}
		m := s.Info().Manifest
		return &m, s.Close()
	case Unfinished:
		p, err := ProgressOf(dir)
		if err != nil || !p.Written {
			return nil, err
		}
		return &p.Manifest, nil
	}
	return nil, nil
}

// holds reports whether the manifest is of an input, as far as can be told
// without reading it.
func (m *Manifest) holds(paths []string, limit int) bool {
	cut := false
	if len(paths) != len(m.Files) {
		return false
	}
	for i, f := range m.Files {
		cut = cut || f.Cut
		if (f.Path == "-") != (paths[i] == "-") {
			return false
		}
		f.Path = paths[i]
		if f.Path == "-" {
			continue
		}
		if err := f.Check(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	if cut {
		return limit == m.Rows
	}
	return limit == 0 || limit >= m.Rows
}
