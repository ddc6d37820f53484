package vectors

// Rows is a mapped matrix: the store's own rows, or a source file whose rows
// stand contiguous at a constant stride (.fbin, .u8bin, .npy, .fvecs, .bvecs).
// Safe for concurrent reading; Close unmaps.
type Rows struct {
	data   []byte // the first row begins at data[0]
	stride int
	n, dim int
	typ    Type
}

// RowsOf wraps rows held in memory: row i is data[i*stride:i*stride+dim*size].
func RowsOf(data []byte, n, dim, stride int, t Type) (*Rows, error) { panic("stub") }

// OpenRows maps a row file written by CreateRows. It checks the header, its
// checksum and the file size before it maps anything.
func OpenRows(path string) (*Rows, error) { panic("stub") }

// Len, Dim and Type describe the matrix; Stride is the distance in bytes
// between the beginnings of consecutive rows.
func (r *Rows) Len() int    { return r.n }
func (r *Rows) Dim() int    { return r.dim }
func (r *Rows) Type() Type  { return r.typ }
func (r *Rows) Stride() int { return r.stride }

// Base returns the bytes of all rows; row i begins at i*Stride().
func (r *Rows) Base() []byte { return r.data }

// Row returns the bytes of row i.
func (r *Rows) Row(i int) []byte {
	return r.data[i*r.stride : i*r.stride+r.dim*r.typ.Size()]
}

// ReadRows makes Rows a Source.
func (r *Rows) ReadRows(first int, dst []byte) error { panic("stub") }

// Advise tells the kernel how the mapping will be read: Sequential, Random or
// Normal. It is a hint; where the system has none it does nothing.
func (r *Rows) Advise(a Advice) error { panic("stub") }

// Advice is an access pattern.
type Advice uint8

// Access patterns.
const (
	Normal Advice = iota
	Sequential
	Random
)

// Close unmaps the rows.
func (r *Rows) Close() error { panic("stub") }

// A RowsWriter writes a row file at path+".tmp" and renames it on Commit.
type RowsWriter struct{}

// CreateRows begins a row file of exactly n rows.
func CreateRows(path string, n, dim int, t Type) (*RowsWriter, error) { panic("stub") }

// Write appends whole rows, in order.
func (w *RowsWriter) Write(rows []byte) (int, error) { panic("stub") }

// Commit writes the header, syncs file and folder, and renames into place. It
// fails if the number of rows written is not the one promised.
func (w *RowsWriter) Commit() error { panic("stub") }

// Abort closes and removes the unfinished file; after Commit it does nothing.
func (w *RowsWriter) Abort() error { panic("stub") }
