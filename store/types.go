package store

import (
	"errors"

	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/storeerr"
	"github.com/knng/knng/store/reader"
)

// Row is a 0-based position in the input.
type Row = reader.Row

// Neighbor is one entry of a list. Distance is the shown distance (the square root of the
// key under euclidean, the key itself otherwise).
type Neighbor = reader.Neighbor

// A Manifest describes a store: its input, and the options that determine its graph.
type Manifest = reader.Manifest

// An Option is a name and a value of a Manifest.
type Option = reader.Option

// Info describes a store: Manifest, Checksum, Distance, K, Lists, IDs, View, Result, Files.
type Info = reader.Info

// FormatVersion is the version of the store's format; the package comment lists the versions.
const FormatVersion = reader.FormatVersion

// ScaleOption names the option of a manifest with the exponent of the power of two by which
// the rows of the input were multiplied.
const ScaleOption = reader.ScaleOption

// SparseType is the type in a manifest of rows that package vectors/sparse holds.
const SparseType = reader.SparseType

// A SealedFile is a line of DIR/SEAL: Path (relative, slash-separated), Size and SHA256 of
// one file of a finished store.
type SealedFile = sealed.File

// Errors that a program can test with errors.Is.
var (
	ErrNotFinished = storeerr.ErrNotFinished                                      // of a directory to be read
	ErrFinished    = errors.New("store: already finished")                        // of one to be built in, by the same options
	ErrMismatch    = errors.New("store: options contradict the unfinished build") // or the finished one; a *MismatchError lists the differences
	ErrEarly       = errors.New("store: the build was killed in its first second, and begins anew")
	ErrLocked      = errors.New("store: another process is building here") // which it names
	ErrCorrupt     = storeerr.ErrCorrupt                                   // a file differs from the one that was written, or is missing
	ErrSparse      = storeerr.ErrSparse                                    // it needs vectors of all columns (Store.Sparse has the rows)
	ErrNoRow       = storeerr.ErrNoRow                                     // beyond the last
	ErrNoReverse   = errors.New("store: the in-neighbors are not built")   // see BuildReverse
	ErrNoID        = storeerr.ErrNoID                                      // or the store has none
	ErrNotStore    = storeerr.ErrNotStore                                  // nothing is there (fs.ErrNotExist too), or something else
	ErrNotFolder   = storeerr.ErrNotFolder                                 // that is ErrNotStore too: a file is there, or a link that leads nowhere
	ErrLiving      = storeerr.ErrLiving                                    // of a directory that only package living opens
	ErrFormat      = storeerr.ErrFormat                                    // which it names
	ErrClosed      = storeerr.ErrClosed                                    // by Close
	ErrKey         = errors.New("store: no such part to dump")             // see DumpKeys
	ErrMemory      = errors.New("store: memory limit too low")             // of BuildReverse; it names the bytes needed
	ErrNoRecord    = errors.New("store: no such record")                   // to dump
	ErrIDs         = errors.New("store: bad ids")                          // not one for each row, or one twice, or none; the error names the line

	// ErrSpace: the disk is full, before or while something is written. Where it became full under a database, of a
	// build or of BuildReverse, the process keeps that one's goroutines and memory until it ends, six and some 0.7 MB of
	// a small one: package fence says why.
	ErrSpace = errors.New("store: no space left on device")
)

// An AdvisedError is an ErrCorrupt that names a remedy. For others a program may advise to restore a copy or to build
// the store again.
type AdvisedError = storeerr.AdvisedError

// Lists is a batch of partial adjacency lists, in compressed row form: the
// list of place Rows[i] is Neighbors[Starts[i]:Starts[i+1]] with Keys beside
// it. Places are internal positions (locality order), not input rows.
// len(Starts) == len(Rows)+1.
type Lists struct {
	Rows      []uint32  // places that have a list, ascending
	Starts    []uint32  // where each list begins, and the end of the last
	Neighbors []uint32  // places
	Keys      []float32 // of the neighbors

	packed []byte // as a fold writes it; empty: not packed
}

// Pack encodes the batch as Draft.Fold writes it, which does not have to then: so several goroutines
// pack batches that one writes. Append, Add and Reset undo it; who changes the fields themselves packs again. An
// error is told by Fold.
func (l *Lists) Pack() {
	if packed, err := appendLists(l.packed[:0], l); err == nil {
		l.packed = packed
	}
}

// Reset empties the batch and keeps its memory.
func (l *Lists) Reset() {
	l.packed = l.packed[:0]
	l.Rows, l.Starts = l.Rows[:0], append(l.Starts[:0], 0)
	l.Neighbors, l.Keys = l.Neighbors[:0], l.Keys[:0]
}

// Append adds the list of one place.
func (l *Lists) Append(place uint32, neighbors []uint32, keys []float32) {
	l.packed = l.packed[:0]
	if len(l.Starts) == 0 {
		l.Starts = append(l.Starts, 0)
	}
	l.Rows = append(l.Rows, place)
	l.Neighbors = append(l.Neighbors, neighbors...)
	l.Keys = append(l.Keys, keys...)
	l.Starts = append(l.Starts, uint32(len(l.Neighbors)))
}

// Add adds an entry to the list of the last place.
func (l *Lists) Add(neighbor uint32, key float32) {
	l.packed = l.packed[:0]
	l.Neighbors, l.Keys = append(l.Neighbors, neighbor), append(l.Keys, key)
	l.Starts[len(l.Rows)]++
}

// batchPlaces is how many places a batch has at the most.
const batchPlaces = 4096

// Batches are lists in batches, in order of their places.
type Batches []Lists

// Add adds an entry to the list of place: to the last list if it is that place's,
// else it is the first of a new one.
func (b *Batches) Add(place, neighbor uint32, key float32) {
	l := b.last()
	if n := len(l.Rows); n == 0 || l.Rows[n-1] != place {
		if n == batchPlaces {
			*b = append(*b, Lists{})
			l = b.last()
		}
		l.Append(place, nil, nil)
	}
	l.Add(neighbor, key)
}

// last is the batch that grows.
func (b *Batches) last() *Lists {
	if len(*b) == 0 {
		*b = append(*b, Lists{})
	}
	return &(*b)[len(*b)-1]
}
