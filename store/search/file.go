package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store"
)

// The files of links and of codes; see the package comment.
const (
	headerBytes = 4096
	sumAt       = headerBytes - 8
	noLink      = math.MaxUint32
	sumPlaces   = 4096 // places that are hashed together
)

var (
	// ErrCorrupt says that the links differ from those that were written. It is also store.ErrCorrupt.
	ErrCorrupt error = corruptLinks{}
	errOther         = errors.New("search: links of another graph, or by other settings")
)

type corruptLinks struct{}

func (corruptLinks) Error() string { return "search: corrupt links" }

// Unwrap returns store.ErrCorrupt, as package living promises.
func (corruptLinks) Unwrap() error { return store.ErrCorrupt }

// An identity says which graph links belong to, and how they were derived. The header of their file holds all
// of it; links of another identity are made again.
type identity struct {
	places  int
	width   int // links per place
	listed  int // most of these links that come from the place's list
	leaders int // leaders drawn from all rows, without those of islands
	seed    uint64
	order   uint64 // xxhash64 of the rows in the order of places
	graph   string // checksum of the graph, hex
	norms   bool
}

// links are the parts of a file, mapped or in memory.
type links struct {
	identity
	table   []byte // width*4 bytes a place
	leaders []leader
	norms   []float64 // of every place, under cosine
}

func (id *identity) tableBytes() int { return 4 * id.width * id.places }

// leadersAt returns the position of leaders, normsAt that of norms: multiples of 8.
func (id *identity) leadersAt() int { return headerBytes + (id.tableBytes()+7)/8*8 }
func (id *identity) normsAt() int   { return id.leadersAt() + 8*id.leaders }

// size returns the size of the whole file.
func (id *identity) size() int {
	if !id.norms {
		return id.normsAt()
	}
	return id.normsAt() + 8*id.places
}

// A fileKind is one of the files below DIR/search, whose headers have the same form.
type fileKind struct {
	magic   string
	version uint32
}

var linksFile = fileKind{"KNNGLINK", 1}

// begin makes a header with the fields that all kinds share: the places of the graph, their order and its
// checksum, the seed, and the size per place.
func (k fileKind) begin(id *identity, each int, seed uint64) []byte {
	h := make([]byte, headerBytes)
	copy(h, k.magic)
	le := binary.LittleEndian
	le.PutUint32(h[8:], k.version)
	le.PutUint32(h[12:], uint32(each))
	le.PutUint64(h[16:], uint64(id.places))
	le.PutUint64(h[32:], seed)
	le.PutUint64(h[40:], id.order)
	copy(h[48:112], id.graph)
	return h
}

// seal completes a header with its hash.
func seal(h []byte) []byte {
	binary.LittleEndian.PutUint64(h[sumAt:], xxhash.Sum64(h[:sumAt]))
	return h
}

// check returns an error for a header that is damaged or of another kind.
func (k fileKind) check(h []byte) error {
	if got, sum := xxhash.Sum64(h[:sumAt]), binary.LittleEndian.Uint64(h[sumAt:]); got != sum || string(h[:8]) != k.magic {
		return fmt.Errorf("%w: header begins with %q and has checksum %016x at byte %d, want %q and %016x", ErrCorrupt, h[:8], sum, sumAt, k.magic, got)
	}
	return nil
}

// header encodes an identity and the sums of the two parts.
func (id *identity) header(tableSum, restSum uint64) []byte {
	h, le := linksFile.begin(id, id.width, id.seed), binary.LittleEndian
	le.PutUint32(h[24:], uint32(id.leaders))
	le.PutUint32(h[28:], uint32(id.listed))
	if id.norms {
		h[112] = 1
	}
	le.PutUint64(h[120:], tableSum)
	le.PutUint64(h[128:], restSum)
	return seal(h)
}

// parse checks a file against the wanted identity, and finds its parts. It hashes all but the table, whose
// links are checked when they are followed.
func parse(data []byte, want identity) (*links, error) {
	if len(data) < headerBytes {
		return nil, fmt.Errorf("%w: %d bytes, too short", ErrCorrupt, len(data))
	}
	le := binary.LittleEndian
	h := data[:headerBytes]
	if err := linksFile.check(h); err != nil {
		return nil, err
	}
	tableSum, restSum := le.Uint64(h[120:]), le.Uint64(h[128:])
	if want.leaders = int(le.Uint32(h[24:])); want.leaders > want.places {
		return nil, fmt.Errorf("%w: %d leaders of %d places", ErrCorrupt, want.leaders, want.places)
	}
	if string(h) != string(want.header(tableSum, restSum)) {
		return nil, errOther
	}
	if len(data) != want.size() {
		return nil, fmt.Errorf("%w: %d bytes, want %d", ErrCorrupt, len(data), want.size())
	}
	if got := xxhash.Sum64(data[want.leadersAt():]); got != restSum {
		return nil, fmt.Errorf("%w: bytes from %d on have checksum %016x, want %016x", ErrCorrupt, want.leadersAt(), got, restSum)
	}
	l := &links{identity: want, table: data[headerBytes:][:want.tableBytes()]}
	return l, l.rest(data[want.leadersAt():])
}

// rest decodes leaders and norms.
func (l *links) rest(data []byte) error {
	l.leaders = make([]leader, l.identity.leaders)
	for i := range l.leaders {
		l.leaders[i] = leader{binary.LittleEndian.Uint32(data[8*i:]), binary.LittleEndian.Uint32(data[8*i+4:])}
		if int64(l.leaders[i].place) >= int64(l.places) {
			return fmt.Errorf("%w: leader %d is place %d of %d", ErrCorrupt, i, l.leaders[i].place, l.places)
		}
	}
	if !l.identity.norms {
		return nil
	}
	data = data[l.normsAt()-l.leadersAt():]
	l.norms = make([]float64, l.places)
	for i := range l.norms {
		l.norms[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return nil
}

// encodeRest is the inverse of rest.
func (l *links) encodeRest() []byte {
	data := make([]byte, 0, l.size()-l.leadersAt())
	for _, p := range l.leaders {
		data = binary.LittleEndian.AppendUint32(data, p.island)
		data = binary.LittleEndian.AppendUint32(data, p.place)
	}
	if l.identity.norms {
		for _, norm := range l.norms {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(norm))
		}
	}
	return data
}

// sumOf hashes the table from a place on, which is a multiple of sumPlaces. It hashes each block of places
// with its number as seed, and adds up the hashes, so that blocks may come in any order.
func (id *identity) sumOf(table []byte, first int) (sum uint64) {
	step := 4 * id.width * sumPlaces
	for block := uint64(first / sumPlaces); len(table) > 0; block++ {
		var d xxhash.Digest
		d.ResetWithSeed(block)
		d.Write(table[:min(step, len(table))])
		sum += d.Sum64()
		table = table[min(step, len(table)):]
	}
	return sum
}
