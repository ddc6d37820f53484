package oplog

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Kind is the kind of an operation.
type Kind byte

// The kinds.
const (
	Put    Kind = 1
	Delete Kind = 2
)

// NoRow is no row.
const NoRow = ^uint64(0)

// MaxID is the longest id in bytes.
const MaxID = 4096

// An Op is one operation.
type Op struct {
	Kind   Kind
	Row    uint64 // deleted, or replaced by the new one; NoRow if there is none
	ID     string
	Vector []byte // valid until the next is read
}

// appendOp encodes an operation.
func appendOp(b []byte, op *Op) []byte {
	b = append(b, byte(op.Kind))
	if op.Kind == Delete {
		return binary.AppendUvarint(b, op.Row)
	}
	b = binary.AppendUvarint(b, op.Row+1)
	b = binary.AppendUvarint(b, uint64(len(op.ID)))
	b = append(b, op.ID...)
	return append(b, op.Vector...)
}

var errShort = errors.New("the operations end within one")

// readOp decodes the first operation of b, with vectors of size bytes, and returns the rest.
func readOp(b []byte, size int, op *Op) (rest []byte, err error) {
	if len(b) == 0 {
		return nil, errShort
	}
	*op = Op{Kind: Kind(b[0])}
	if op.Row, b, err = readUvarint(b[1:]); err != nil {
		return nil, err
	}
	if op.Kind == Delete {
		return b, nil
	}
	if op.Kind != Put {
		return nil, fmt.Errorf("operation of kind %d, want 1 or 2", op.Kind)
	}
	op.Row-- // 0 becomes NoRow
	length, b, err := readUvarint(b)
	if err != nil {
		return nil, err
	}
	if length > MaxID {
		return nil, fmt.Errorf("an id of %d bytes, at most %d are kept", length, MaxID)
	}
	if uint64(len(b)) < length+uint64(size) {
		return nil, errShort
	}
	op.ID, b = string(b[:length]), b[length:]
	op.Vector = b[:size:size]
	return b[size:], nil
}

func readUvarint(b []byte) (uint64, []byte, error) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, errShort
	}
	if n > 1 && b[n-1] == 0 {
		return 0, nil, errors.New("a number is longer than it need be")
	}
	return v, b[n:], nil
}
