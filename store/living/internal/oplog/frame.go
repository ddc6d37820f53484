package oplog

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store/internal/livefiles"
	"github.com/knng/knng/vectors"
)

const (
	logMagic    = "KNNGLOG1"
	frameMagic  = "OPS1"
	headerBytes = livefiles.LogHeader
	fixedBytes  = 40 // of a log's header
	marksAt     = livefiles.LogMarks
	markBytes   = livefiles.LogMark
	frameBytes  = 40 // before the operations
	sumBytes    = 8

	// MaxFrame is the most bytes of operations in a frame.
	MaxFrame = 1 << 28
)

// A Header describes a log.
type Header struct {
	Number   uint64
	FirstOp  uint64
	FirstRow uint64
	Type     vectors.Type
	Dim      int
}

// vectorBytes returns the size of a vector.
func (h *Header) vectorBytes() int { return h.Dim * h.Type.Size() }

// encode returns the header of a log with a durable length.
func (h *Header) encode(durable int64) []byte {
	b := append(make([]byte, 0, headerBytes), logMagic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(h.Type))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.Dim))
	for _, v := range []uint64{h.Number, h.FirstOp, h.FirstRow} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	b = binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
	m := mark(b[fixedBytes:], durable)
	return append(append(b, m...), m...)
}

// mark encodes a durable length, for a log with this hash of its fixed header.
func mark(sum []byte, durable int64) []byte {
	var b [16]byte
	copy(b[:8], sum)
	binary.LittleEndian.PutUint64(b[8:], uint64(durable))
	hash := xxhash.Sum64(b[:])
	copy(b[:8], b[8:])
	binary.LittleEndian.PutUint64(b[8:], hash)
	return b[:]
}

// decodeHeader reads the fixed part of a header and returns its hash.
func decodeHeader(b []byte) (h Header, sum uint64, err error) {
	sum = binary.LittleEndian.Uint64(b[fixedBytes:])
	h = Header{Type: vectors.Type(b[8]), Dim: int(binary.LittleEndian.Uint32(b[12:])), Number: binary.LittleEndian.Uint64(b[16:]),
		FirstOp: binary.LittleEndian.Uint64(b[24:]), FirstRow: binary.LittleEndian.Uint64(b[32:])}
	switch {
	case string(b[:8]) != logMagic:
		err = fmt.Errorf("byte 0: %q, want %q", b[:8], logMagic)
	case xxhash.Sum64(b[:fixedBytes]) != sum:
		err = errors.New("byte 40: the hash of the header is another")
	case h.Type < vectors.Uint8 || h.Type > vectors.Float32 || binary.LittleEndian.Uint32(b[8:]) > uint32(vectors.Float32):
		err = fmt.Errorf("byte 8: type %d, want 1 to 4", binary.LittleEndian.Uint32(b[8:]))
	case h.Dim < 1 || h.Dim > vectors.MaxDim:
		err = fmt.Errorf("byte 12: dimension %d, want 1 to %d", h.Dim, vectors.MaxDim)
	case h.FirstOp > 1<<62 || h.FirstRow > 1<<62:
		err = fmt.Errorf("byte 24: operations from %d, rows from %d", h.FirstOp, h.FirstRow)
	}
	return h, sum, err
}

// decodeMarks reads the durable length: the larger of two. It is torn if one of them does not match its hash.
func decodeMarks(b []byte) (durable int64, torn bool, err error) {
	for _, at := range []int{marksAt, marksAt + markBytes} {
		length := int64(binary.LittleEndian.Uint64(b[at:]))
		if want := mark(b[fixedBytes:marksAt], length); string(b[at:at+markBytes]) != string(want) || length < headerBytes || length >= 1<<62 {
			torn = true
			continue
		}
		durable = max(durable, length)
	}
	if durable == 0 {
		err = fmt.Errorf("byte %d: no durable length with its hash", marksAt)
	}
	return durable, torn, err
}

// A frame is the head of a frame.
type frame struct {
	length uint32
	first  uint64
	before uint64
	count  uint64
}

func (f *frame) encode(b []byte) []byte {
	b = append(b, frameMagic...)
	b = binary.LittleEndian.AppendUint32(b, f.length)
	for _, v := range []uint64{f.first, f.before, f.count} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b[len(b)-32:]))
}

// decode reads the head of a frame and reports whether it is valid.
func (f *frame) decode(b []byte) bool {
	if len(b) < frameBytes || string(b[:4]) != frameMagic || binary.LittleEndian.Uint64(b[32:]) != xxhash.Sum64(b[:32]) {
		return false
	}
	*f = frame{binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])}
	return f.length <= MaxFrame
}

// size returns the size of the whole frame.
func (f *frame) size() int64 { return frameBytes + int64(f.length) + sumBytes }
