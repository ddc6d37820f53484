package reader

import (
	"errors"
	"fmt"
	"slices"

	"github.com/knng/knng/vectors"
)

// FormatVersion is the version of the format that this package reads. The comment of package
// store lists the versions.
const FormatVersion = 1

// Option is a name and a value of the fingerprint: an option of the build that changes the
// graph or the shape of the store.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Manifest describes a store: its input, and the options that determine its graph. It is
// written once, when the directory is created.
type Manifest struct {
	Format  int            `json:"format"`          // set by the store: FormatVersion
	Rows    int            `json:"rows"`            // rows of the input, before any are dropped
	Dim     int            `json:"dim"`             // elements of a row; of sparse rows columns
	Type    string         `json:"type"`            // vectors.Type.String
	Metric  string         `json:"metric"`          // distance.Metric.String
	K       int            `json:"k"`               // as asked; lists hold min(K, n-1)
	Vectors string         `json:"vectors"`         // "copy" or "reference"
	Options []Option       `json:"options"`         // the fingerprint, in a fixed order
	Files   []vectors.File `json:"files,omitempty"` // of the input, in order
	// Offsets were subtracted, one from each column of the input's float64 rows, before
	// they were rounded to float32; nil for most stores (vectors.OffsetsOf). The stored rows
	// are less the offsets; distances of rows are the same.
	Offsets []float64 `json:"offsets,omitempty"`
	Created string    `json:"created"` // RFC 3339; set by the store
}

// Option returns the value of an option. ok is false where there is none of that name.
func (m *Manifest) Option(name string) (value string, ok bool) {
	i := slices.IndexFunc(m.Options, func(o Option) bool { return o.Name == name })
	if i < 0 {
		return "", false
	}
	return m.Options[i].Value, true
}

// SparseType is the Type of rows that hold few of their columns (package vectors/sparse).
const SparseType = "sparse float32"

// Sparse reports whether rows are sparse: Dim counts their columns.
func (m *Manifest) Sparse() bool { return m.Type == SparseType }

// RowType returns the type of the rows, which Type names. Errors: ErrSparse, ErrCorrupt.
func (m *Manifest) RowType() (vectors.Type, error) {
	if m.Sparse() {
		return 0, fmt.Errorf("%w: the graph is of a sparse matrix of %d columns, which is looked up, searched and exported, but not written to, merged or refined", ErrSparse, m.Dim)
	}
	t, err := vectors.ParseType(m.Type)
	if err != nil {
		return 0, fmt.Errorf("%w: manifest: %w", ErrCorrupt, err)
	}
	return t, nil
}

// Check refuses a manifest that this version cannot read: ErrFormat, ErrCorrupt.
func (m *Manifest) Check() error {
	if m.Format != FormatVersion {
		return fmt.Errorf("%w: it is format %d, this version reads %d: read it with the version that made it, or build the graph again", ErrFormat, m.Format, FormatVersion)
	}
	if m.Rows < 0 || m.Dim < 1 || m.K < 1 {
		return errors.Join(ErrCorrupt, fmt.Errorf("store: manifest of %d rows of %d, k %d", m.Rows, m.Dim, m.K))
	}
	if m.Offsets != nil && len(m.Offsets) != m.Dim {
		return errors.Join(ErrCorrupt, fmt.Errorf("store: manifest of %d offsets for %d columns", len(m.Offsets), m.Dim))
	}
	if m.Sparse() {
		if m.Vectors != "copy" || (m.Metric != "cosine" && m.Metric != "ip") {
			return errors.Join(ErrCorrupt, fmt.Errorf("store: manifest of sparse rows under %s, vectors %s: want cosine or ip, and copy", m.Metric, m.Vectors))
		}
		return nil
	}
	_, err := m.RowType()
	return errors.Join(err, m.checkScale())
}
