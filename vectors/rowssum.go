package vectors

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// A RowsSum computes AuditReport.Checksum of rows that are added to it in order, for a program that reads them anyway.
type RowsSum struct {
	typ    Type
	all    hashSum
	row    []byte
	values []float32
}

// NewRowsSum returns the sum of no rows.
func NewRowsSum(dim int, t Type) *RowsSum {
	return &RowsSum{t, newHashSum(), make([]byte, dim*t.Size()), make([]float32, dim)}
}

// Add adds whole rows.
func (s *RowsSum) Add(rows []byte) {
	for size := len(s.row); len(rows) >= size; rows = rows[size:] {
		row := rows[:size]
		if s.typ != Uint8 && s.typ != Int8 && hasNegativeZero(s.typ, row) {
			copy(s.row, row)
			row = s.row
			unsign(s.typ, row, s.values)
		}
		s.all.add(xxhash.Sum64(row))
	}
}

// Sum is the checksum of the rows added until now.
func (s *RowsSum) Sum() uint64 { return s.all.Sum64() }

// A hashSum is the xxhash64 of the hashes of rows.
type hashSum struct{ *xxhash.Digest }

func newHashSum() hashSum { return hashSum{xxhash.New()} }

func (s hashSum) add(hashes ...uint64) {
	var b [8]byte
	for _, h := range hashes {
		binary.LittleEndian.PutUint64(b[:], h)
		s.Write(b[:])
	}
}
