package catalog

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/vectors"
)

// The file of a catalog; see the comment of package store.
const (
	magic        = "KNNGCATL"
	version      = 1
	headerBytes  = 56
	summedBytes  = headerBytes - 8
	trailerBytes = sha256.Size + 8
	pageBytes    = 4096 // parts begin at multiples of this
	maxRecords   = 16 << 20
)

var errVersion = errors.New("catalog of another version")

// A header says how large the parts are.
type header struct {
	recordBytes int
	rows        int
	ids         int // rows, or 0
	places      int // rows, or 0 where the place of every row is its number
	recordSum   uint64
}

func (h *header) encode() []byte {
	b := make([]byte, headerBytes)
	copy(b, magic)
	le.PutUint32(b[8:], version)
	le.PutUint32(b[12:], uint32(h.recordBytes))
	le.PutUint64(b[16:], uint64(h.rows))
	le.PutUint64(b[24:], uint64(h.ids))
	le.PutUint64(b[32:], uint64(h.places))
	le.PutUint64(b[40:], h.recordSum)
	le.PutUint64(b[summedBytes:], xxhash.Sum64(b[:summedBytes]))
	return b
}

// parseHeader decodes the header and checks that the parts before the text of the ids fit
// into the file.
func parseHeader(data []byte) (h header, err error) {
	if len(data) < pageBytes+trailerBytes {
		return h, fmt.Errorf("%d bytes, too short for a catalog", len(data))
	}
	if string(data[:8]) != magic {
		return h, fmt.Errorf("begins with %q, want %q", data[:8], magic)
	}
	if found := le.Uint32(data[8:]); found != version {
		return h, fmt.Errorf("%w: %d, want %d", errVersion, found, version)
	}
	if got, want := xxhash.Sum64(data[:summedBytes]), le.Uint64(data[summedBytes:]); got != want {
		return h, fmt.Errorf("header checksum %016x at byte %d, want %016x", want, summedBytes, got)
	}
	records, rows, ids, places := le.Uint32(data[12:]), le.Uint64(data[16:]), le.Uint64(data[24:]), le.Uint64(data[32:])
	if records > maxRecords || rows > uint64(vectors.MaxRows) || ids != 0 && ids != rows || places != 0 && places != rows {
		return h, fmt.Errorf("%d bytes of records, %d rows, %d ids, %d places", records, rows, ids, places)
	}
	h = header{int(records), int(rows), int(ids), int(places), le.Uint64(data[40:])}
	if h.textAt()+trailerBytes > len(data) {
		return h, fmt.Errorf("%d bytes, want at least %d", len(data), h.textAt()+trailerBytes)
	}
	return h, nil
}

// The parts, in their order.
func (h *header) indexAt() int  { return padded(headerBytes + h.recordBytes) }
func (h *header) byIDAt() int   { return h.indexAt() + padded(indexBytes(h.ids)) }
func (h *header) placedAt() int { return h.byIDAt() + pagesOf(h.ids)*pageBytes }
func (h *header) textAt() int   { return h.placedAt() + pagesOf(h.places)*pageBytes }

func padded(n int) int { return (n + pageBytes - 1) / pageBytes * pageBytes }

// Trailer returns the end of the catalog of a sealed directory: sum is the SHA-256 of the
// seal.
func Trailer(sum [sha256.Size]byte) []byte {
	return le.AppendUint64(bytes.Clone(sum[:]), xxhash.Sum64(sum[:]))
}

func parseTrailer(data []byte, seal [sha256.Size]byte) error {
	if got, want := xxhash.Sum64(data[:sha256.Size]), le.Uint64(data[sha256.Size:]); got != want {
		return fmt.Errorf("trailer checksum %016x, want %016x", want, got)
	}
	if !bytes.Equal(data[:sha256.Size], seal[:]) {
		return fmt.Errorf("it is of a store with another seal (SHA-256 %x, want %x)", data[:sha256.Size], seal)
	}
	return nil
}
