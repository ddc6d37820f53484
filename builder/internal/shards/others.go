package shards

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/vectors/objects"
)

// Others says which runs stand beside one in a folder, and in how far they differ from it. What
// cannot be read is passed over: it is no part of the run.
func Others(folder, run string) (lines []string) {
	this, err := specAt(run)
	if err != nil || objects.Is(folder) {
		return nil
	}
	found, err := filepath.Glob(filepath.Join(folder, "*", specName))
	if err != nil {
		return nil
	}
	for _, file := range found {
		at := filepath.Dir(file)
		other, err := specAt(at)
		if err != nil || filepath.Base(at) == filepath.Base(run) {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s is another run, %s: it is left as it is", at, other.differs(this)))
	}
	return lines
}

func specAt(run string) (spec Spec, err error) {
	data, err := readAll(pieces.At(run), specName)
	if err != nil {
		return spec, err
	}
	return spec, json.Unmarshal(data, &spec)
}

// differs says what sets a run apart from another.
func (s Spec) differs(from Spec) string {
	if s.Version != from.Version || s.Format != from.Format {
		return "begun by version " + s.Version
	}
	options := func(s Spec) Spec {
		s.Manifest.Files, s.Manifest.Rows, s.Manifest.Created, s.Scale = nil, 0, "", 0
		return s
	}
	a, _ := json.Marshal(options(s)) // of plain values: no error
	b, _ := json.Marshal(options(from))
	if string(a) != string(b) {
		return "of other options or rows of another kind"
	}
	if len(s.Manifest.Files) == len(from.Manifest.Files) {
		for i, f := range s.Manifest.Files {
			if f.Path != from.Manifest.Files[i].Path {
				return "of another input"
			}
		}
		return "of the same files, as they were before they changed"
	}
	return "of another input"
}
