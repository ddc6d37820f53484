package store

import (
	"github.com/knng/knng/vectors"
)

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
	Created string         `json:"created"` // RFC 3339; set by the store
}

// DraftOptions tunes a build's store. The zero value works.
type DraftOptions struct {
	CacheBytes int64                            // Pebble's block cache; 0 is 16 MiB
	Scratch    string                           // where scratch files go; "" is DIR/scratch
	Logger     func(format string, args ...any) // Pebble's messages; nil drops them
}

// A Draft is a store being built, locked against other processes. Its methods
// are durable when they return, and all-or-nothing under crashes. Reading and
// committing units is safe from several goroutines; everything else belongs to
// one.
//
// A build is a sequence of stages numbered from 0 (a division, a propagation
// round, a run of exact blocks); a stage is a set of units, done in any order.
// The state after stage s is: the lists last folded, united with the blocks of
// all units of the stages after it, up to s.
type Draft struct{}

// OpenDraft creates dir, or resumes the unfinished build in it.
//
// Errors: ErrFinished where the store in dir is sealed and m matches it;
// ErrMismatch (a *MismatchError) where m differs from the manifest there,
// finished or not; ErrLocked naming the holder; ErrNotStore where dir exists,
// is not empty and holds something else.
func OpenDraft(dir string, m Manifest, opts *DraftOptions) (*Draft, error) { panic("stub") }

// MismatchError lists every difference between the options asked and those
// that the store was begun with. errors.Is(err, ErrMismatch) holds.
type MismatchError struct {
	Dir         string
	Differences []Difference
}

// Difference is one option whose value differs.
type Difference struct{ Name, Have, Want string }

func (e *MismatchError) Error() string        { panic("stub") }
func (e *MismatchError) Is(target error) bool { return target == ErrMismatch }

// Resumed reports whether OpenDraft found earlier work.
func (d *Draft) Resumed() bool { panic("stub") }

// Manifest returns the manifest as stored.
func (d *Draft) Manifest() Manifest { panic("stub") }

// RowsPath is where the store's own rows belong (DIR/vectors/rows); ScratchDir
// a folder for derived files, made on first use.
func (d *Draft) RowsPath() string            { panic("stub") }
func (d *Draft) ScratchDir() (string, error) { panic("stub") }

// Record keeps v as JSON under name; Load reads it back and reports whether it
// was there. Both are for small things: audit results, the build's state.
func (d *Draft) Record(name string, v any) error       { panic("stub") }
func (d *Draft) Load(name string, v any) (bool, error) { panic("stub") }

// CommitOrder stores the locality order: order[place] = row, a bijection of
// 0..len(order)-1 onto distinct input rows. Order reads it (nil if absent).
func (d *Draft) CommitOrder(order []uint32) error { panic("stub") }
func (d *Draft) Order() ([]uint32, error)         { panic("stub") }

// CommitIDs stores external ids, one per input row, in row order. A repeated,
// empty or missing id is an error that names its line; ids are UTF-8.
// IDsDone reports whether they are there.
func (d *Draft) CommitIDs(path string, rows int) error { panic("stub") }
func (d *Draft) IDsDone() (bool, error)                { panic("stub") }

// CommitLabels stores a division's leaf numbers, labels[place] = leaf, together
// with the small JSON note v. Labels reads them back into dst (grown to n as
// needed) and reports whether they were there; v may be nil.
func (d *Draft) CommitLabels(division uint32, labels []uint32, v any) error { panic("stub") }
func (d *Draft) Labels(division uint32, dst []uint32, v any) ([]uint32, bool, error) {
	panic("stub")
}

// CommitUnit ingests the subgraph blocks of one unit and then marks the unit
// done with its note (small JSON: counts). Redoing a unit is harmless.
func (d *Draft) CommitUnit(stage, unit uint32, blocks []Lists, note any) error { panic("stub") }

// Units calls fn with each committed unit of a stage and its note as raw JSON.
func (d *Draft) Units(stage uint32, fn func(unit uint32, note []byte) error) error { panic("stub") }

// Replay calls fn with every block of the committed units of a stage. The
// Lists passed is reused between calls.
func (d *Draft) Replay(stage uint32, fn func(unit uint32, l *Lists) error) error { panic("stub") }

// BlockBytes returns the encoded bytes of all unfolded subgraph blocks: what
// Replay would read, and the builder's signal to fold.
func (d *Draft) BlockBytes() (int64, error) { panic("stub") }

// Fold writes the running lists as they are after stage, then drops the blocks
// and unit marks of stages up to it and the lists folded before, and really
// gives their space back. write is called once; it must call add with batches
// whose places ascend and together cover every place.
func (d *Draft) Fold(stage uint32, write func(add func(*Lists) error) error) error { panic("stub") }

// Folded returns the stage of the last fold (ok false if none), and ReadFolded
// its lists, in place order.
func (d *Draft) Folded() (stage uint32, ok bool, err error) { panic("stub") }
func (d *Draft) ReadFolded(fn func(l *Lists) error) error   { panic("stub") }

// CommitAdjacency writes the final lists. write is called once and calls add
// for rows 0, 1, 2, ... in turn: neighbors are input rows, sorted by
// (key, row). AdjacencyDone reports whether it has happened.
func (d *Draft) CommitAdjacency(write func(add func(neighbors []uint32, keys []float32) error) error) error {
	panic("stub")
}
func (d *Draft) AdjacencyDone() (bool, error) { panic("stub") }

// Checksum is the SHA-256 (hex) of the gt export of the committed adjacency:
// u32 n, u32 k, n*k int32 rows, n*k float32 keys, little-endian; rows with
// empty (isolated) lists are filled with -1 and +Inf.
func (d *Draft) Checksum() (string, error) { panic("stub") }

// WrittenBytes and DiskBytes report bytes written through Pebble since the
// draft was opened, and the size of the directory now.
func (d *Draft) WrittenBytes() int64       { panic("stub") }
func (d *Draft) DiskBytes() (int64, error) { panic("stub") }

// Seal stores result (the builder's report, JSON), drops everything that only a
// build needs (subgraphs, labels, folded lists, progress), compacts, closes
// Pebble, and writes DIR/SEAL: every file outside scratch/ with size and
// SHA-256. After it the directory is read-only and the Draft closed.
func (d *Draft) Seal(result any) error { panic("stub") }

// Close releases the lock and leaves the build to be resumed.
func (d *Draft) Close() error { panic("stub") }
