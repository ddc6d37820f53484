package shards

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/objects"
)

// Others describes, a line each, the other runs in a folder, and how they differ from run. It skips files
// that it cannot read, since they do not belong to the run.
func Others(folder, run string) (lines []string) {
	this, err := specAt(run)
	if err != nil || objects.Is(folder) {
		return nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		at := filepath.Join(folder, e.Name())
		other, err := specAt(at)
		if err != nil || e.Name() == filepath.Base(run) {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s is another run, %s: it is left as it is", at, other.differs(this)))
	}
	return lines
}

func specAt(run string) (spec runSpec, err error) {
	data, err := readAll(pieces.At(run), specName)
	if err != nil {
		return spec, err
	}
	return spec, json.Unmarshal(data, &spec)
}

// differs describes how a run differs from another.
func (s runSpec) differs(from runSpec) string {
	if s.Version != from.Version || s.Format != from.Format {
		return "begun by version " + s.Version
	}
	a, _ := json.Marshal(s.options()) // of plain values: no error
	b, _ := json.Marshal(from.options())
	switch {
	case string(a) != string(b):
		return "of other options or rows of another kind"
	case !slices.EqualFunc(s.Manifest.Files, from.Manifest.Files, func(f, g vectors.File) bool { return f.Path == g.Path }):
		return "of another input"
	case s.Manifest.Rows == from.Manifest.Rows && s.ShardRows != from.ShardRows:
		return "cut into other tasks"
	}
	return "of the same files, as they were before they changed"
}

// options is the spec without all that follows from the rows: their number, by which they are cut
// where no option says how, and how they are changed before they are compared.
func (s runSpec) options() runSpec {
	s.ShardRows, s.Scale = 0, 0
	m := &s.Manifest
	m.Files, m.Rows, m.Created, m.Offsets = nil, 0, "", nil
	m.Options = slices.DeleteFunc(slices.Clone(m.Options), func(o store.Option) bool { return o.Name == store.ScaleOption })
	return s
}
