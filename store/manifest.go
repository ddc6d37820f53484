package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/vectors"
)

// FormatVersion is the version of the store's format; the package comment
// lists them.
const FormatVersion = 1

// Option is one name=value pair of the fingerprint: an option that changes the
// finished graph or the shape of the store.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Manifest says what a store holds and what names its result. It is written
// once, when the directory is created.
type Manifest struct {
	Format  int            `json:"format"` // set by the store: FormatVersion
	Rows    int            `json:"rows"`   // rows of the input, before any are dropped
	Dim     int            `json:"dim"`
	Type    string         `json:"type"` // vectors.Type.String
	Metric  string         `json:"metric"`
	K       int            `json:"k"`       // as asked; lists hold min(K, n-1)
	Vectors string         `json:"vectors"` // "copy" or "reference"
	Options []Option       `json:"options"` // the fingerprint, in a fixed order
	Files   []vectors.File `json:"files,omitempty"`
	// Offsets were subtracted, one from each column of the input's float64 rows, before
	// they were rounded to float32; nil for most stores (vectors.OffsetsOf). The stored rows
	// are less the offsets; distances of rows are the same.
	Offsets []float64 `json:"offsets,omitempty"`
	Created string    `json:"created"` // RFC 3339; set by the store
}

// MismatchError lists every difference between the options asked and those
// that the store was begun with. errors.Is(err, ErrMismatch) holds.
type MismatchError struct {
	Dir         string
	Differences []Difference
}

// Difference is one option whose value differs.
type Difference struct{ Name, Have, Want string }

// Error lists the differences.
func (e *MismatchError) Error() string {
	var list []string
	for _, d := range e.Differences {
		list = append(list, fmt.Sprintf("%s: %s there, %s asked", d.Name, d.Have, d.Want))
	}
	return fmt.Sprintf("store: %s was begun with other options or rows (%s): give those again, or another directory", e.Dir, strings.Join(list, "; "))
}

// Is makes errors.Is(err, ErrMismatch) hold.
func (e *MismatchError) Is(target error) bool { return target == ErrMismatch }

// compare returns a MismatchError where want asks for another result than m.
func (m *Manifest) compare(dir string, want *Manifest) error {
	e := &MismatchError{Dir: dir}
	differ := func(name string, have, want any) {
		if h, w := fmt.Sprint(have), fmt.Sprint(want); h != w {
			e.Differences = append(e.Differences, Difference{name, h, w})
		}
	}
	differ("rows", m.Rows, want.Rows)
	differ("dimension", m.Dim, want.Dim)
	differ("type", m.Type, want.Type)
	differ("vectors", m.Vectors, want.Vectors)
	for _, o := range want.Options {
		differ(o.Name, m.option(o.Name), o.Value)
	}
	for _, o := range m.Options {
		if want.option(o.Name) == absent {
			differ(o.Name, o.Value, absent)
		}
	}
	if !slices.Equal(m.Offsets, want.Offsets) {
		differ("offsets of columns", describeOffsets(m.Offsets), describeOffsets(want.Offsets))
	}
	differ("input files", len(m.Files), len(want.Files))
	for i := range min(len(m.Files), len(want.Files)) {
		have, asked := m.Files[i], want.Files[i]
		if have.Size != asked.Size || have.Sample != asked.Sample || have.Rows != asked.Rows {
			differ("input "+asked.Path, describeFile(have), describeFile(asked))
		}
		differ("column of "+asked.Path, have.Column, asked.Column)
	}
	if len(e.Differences) == 0 {
		return nil
	}
	return e
}

// describeFile is what a difference shows of a file: its contents, not its
// name, are what counts.
func describeFile(f vectors.File) string {
	return fmt.Sprintf("%d bytes with sample %016x", f.Size, f.Sample)
}

// describeOffsets shows few offsets, and of many a hash.
func describeOffsets(offsets []float64) string {
	if len(offsets) <= 8 {
		return fmt.Sprint(offsets)
	}
	return fmt.Sprintf("%d with hash %016x", len(offsets), xxhash.Sum64String(fmt.Sprint(offsets)))
}

const absent = "(none)"

func (m *Manifest) option(name string) string {
	i := slices.IndexFunc(m.Options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		return absent
	}
	return m.Options[i].Value
}

// typ reads back the type that the manifest names.
func (m *Manifest) typ() (vectors.Type, error) {
	t, err := vectors.ParseType(m.Type)
	if err != nil {
		return 0, fmt.Errorf("%w: manifest: %w", ErrCorrupt, err)
	}
	return t, nil
}

// check refuses formats that this version cannot read.
func (m *Manifest) check() error {
	if m.Format != FormatVersion {
		return fmt.Errorf("%w: it is %d, this one reads %d", ErrFormat, m.Format, FormatVersion)
	}
	if m.Rows < 0 || m.Dim < 1 || m.K < 1 {
		return errors.Join(ErrCorrupt, fmt.Errorf("store: manifest of %d rows of %d, k %d", m.Rows, m.Dim, m.K))
	}
	if m.Offsets != nil && len(m.Offsets) != m.Dim {
		return errors.Join(ErrCorrupt, fmt.Errorf("store: manifest of %d offsets for %d columns", len(m.Offsets), m.Dim))
	}
	_, err := m.typ()
	return errors.Join(err, m.checkScale())
}
