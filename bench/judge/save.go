package judge

import (
	"encoding/binary"
	"errors"
	"os"
)

// Save writes the exact lists and the rows that they belong to as New reads
// them: u32 m, u32 k, m*k int32 neighbors, m*k float32 keys; and u32 m, u32 1, m
// int32 rows. All are little-endian.
func (j *Judge) Save(truth, rows string) error {
	m, k := uint32(len(j.truth.Rows)), uint32(j.truth.K)
	return errors.Join(
		save(truth, []uint32{m, k}, j.truth.Neighbors, j.truth.Distances),
		save(rows, []uint32{m, 1}, j.truth.Rows))
}

func save(path string, parts ...any) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := binary.Write(f, binary.LittleEndian, part); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}
