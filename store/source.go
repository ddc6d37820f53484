package store

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/knng/knng/vectors"
)

// InputOf returns the input of the build in dir as its manifest describes it,
// without reading it, where the build does not need to: it has its own copy of the rows.
// Otherwise it returns nil, also if paths and limit name another input than the manifest, or
// if a file may have changed; opening them reports the difference. It accepts a file that is
// gone by its path, and stdin, "-", for the input that came from it.
func InputOf(dir string, paths []string, limit int) (*vectors.Input, error) {
	m, err := writtenManifest(dir)
	if err != nil || m == nil || m.Vectors == "reference" || m.Sparse() || !manifestHolds(m, paths, limit) {
		return nil, err
	}
	t, err := m.RowType()
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
		s, err := openBuilt(dir)
		if err != nil {
			return nil, err
		}
		m := s.Info().Manifest
		return &m, s.Close()
	case Unfinished:
		p, err := ProgressOf(dir)
		if errors.Is(err, ErrEarly) {
			return nil, nil
		}
		if err != nil || !p.Written {
			return nil, err
		}
		return &p.Manifest, nil
	}
	return nil, nil
}

// manifestHolds reports whether the manifest is of an input, as far as can be told
// without reading it.
func manifestHolds(m *Manifest, paths []string, limit int) bool {
	cut := false
	if len(paths) != len(m.Files) {
		return false
	}
	for i, f := range m.Files {
		cut = cut || f.Cut
		if (f.Path == "-") != (paths[i] == "-") {
			return false
		}
		if f.Path != "-" && !holds(f, paths[i]) {
			return false
		}
	}
	if cut {
		return limit == m.Rows
	}
	return limit == 0 || limit >= m.Rows
}

// holds reports whether path is f: unchanged, as far as size, time and some blocks tell, or
// gone from where f was.
func holds(f vectors.File, path string) bool {
	abs, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	wasThere := abs == f.Path
	f.Path = path
	touched, err := f.Touched()
	if errors.Is(err, fs.ErrNotExist) {
		return wasThere
	}
	return err == nil && !touched
}
