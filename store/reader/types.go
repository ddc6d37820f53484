package reader

import (
	"errors"

	"github.com/knng/knng/store/internal/sealed"
	"github.com/knng/knng/store/internal/storeerr"
)

// Row is a 0-based position in the input. Stores hold rows below 2^32 today; the type is
// wider so that it need not change. Slices of neighbors are uint32, as they are stored, and
// would change with the format.
type Row uint64

// Neighbor is one entry of a list. Distance is the shown distance (the square root of the
// key under euclidean, the key itself otherwise).
type Neighbor struct {
	Row      Row
	Distance float32
}

// A SealedFile is a line of DIR/SEAL: Path (relative, slash-separated), Size and SHA256 of
// one file of a finished store.
type SealedFile = sealed.File

// Errors for errors.Is. Package store has most of them under the same names: they are the
// same values.
var (
	ErrNotFinished = storeerr.ErrNotFinished // the build has not ended
	ErrNotStore    = storeerr.ErrNotStore    // the directory is absent (fs.ErrNotExist too), or holds something else
	ErrLiving      = storeerr.ErrLiving      // rows were put or deleted since: package living opens it
	ErrFormat      = storeerr.ErrFormat      // another version of knng wrote the store
	ErrSparse      = storeerr.ErrSparse      // it needs vectors of all columns
	ErrCorrupt     = storeerr.ErrCorrupt     // a file differs from the one that was written, or is missing
	ErrNoRow       = storeerr.ErrNoRow       // beyond the last row
	ErrNoID        = storeerr.ErrNoID        // no row has the id, or the store has no ids
	ErrClosed      = storeerr.ErrClosed      // after Close

	// ErrNoCatalog: the catalog or the view is missing. They were deleted, or an older knng
	// built the store. knng analyze --view, or store.BuildView, makes them.
	ErrNoCatalog = errors.New("store: no catalog and view for lookups without the database")
	// ErrNoVector: a row was left out of the graph, and its vector is not kept.
	ErrNoVector = errors.New("store: the row has no vector")
)
