package store

import (
	"encoding/binary"

	"github.com/knng/knng/store/internal/block"
)

// Tags: the first byte of every key. The rest is big-endian integers, so that
// keys sort as the numbers do. See the package comment.
const (
	tagRecord    = 0x01         // name
	tagUnit      = 0x02         // stage u32, unit u32
	tagBlock     = 0x10         // stage u32, unit u32, number u32
	tagFolded    = 0x12         // stage u32, first place u32
	tagLabels    = 0x20         // division u32, first place u32
	tagAdjacency = block.TagOut // row/16 u64
	tagReverse   = block.TagIn  // row/16 u64
	tagOrder     = 0x40         // first place u32
	tagIDs       = 0x41         // row/64 u64
	tagRowOfID   = 0x42         // id
)

// buildTags are those that a finished store has no keys of, ascending. No others lie between
// them: dropProgress drops all from the first to the last.
var buildTags = []byte{tagUnit, tagBlock, tagFolded, tagLabels}

func recordKey(name string) []byte { return append([]byte{tagRecord}, name...) }

// key32 is a tag and 32-bit integers.
func key32(tag byte, parts ...uint32) []byte {
	key := append(make([]byte, 0, 1+4*len(parts)), tag)
	for _, p := range parts {
		key = binary.BigEndian.AppendUint32(key, p)
	}
	return key
}

// key64 writes a tag and a 64-bit integer into dst.
func key64(dst []byte, tag byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64(append(dst[:0], tag), n)
}

// part32 reads the 32-bit integer number i of a key made by key32; ok is false
// where the key is too short.
func part32(key []byte, i int) (n uint32, ok bool) {
	if len(key) < 1+4*(i+1) {
		return 0, false
	}
	return binary.BigEndian.Uint32(key[1+4*i:]), true
}
