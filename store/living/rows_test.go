package living

import (
	"slices"
	"testing"
)

// TestRowMap: numbers are those of the file, also where 32 bits do not hold them, and rows that have no
// position are not found.
func TestRowMap(t *testing.T) {
	for _, rows := range [][]uint64{{}, {0}, {7}, {0, 2, 3, 9}, {5, 1<<32 - 1}, {5, 1 << 32, 1<<32 + 1, 1 << 40}, {1 << 61, 1<<61 + 5}} {
		encoded := encodeRows(len(rows), func(i int) uint64 { return rows[i] })
		m := &rowMap{n: len(rows)}
		if err := m.take(encoded, 1<<62); err != nil {
			t.Fatal(rows, err)
		}
		for p, row := range rows {
			if got := m.row(uint32(p)); got != row {
				t.Errorf("%v: position %d is row %d", rows, p, got)
			}
			if at, ok := m.position(row); !ok || int(at) != p {
				t.Errorf("%v: row %d is at %d, %v", rows, row, at, ok)
			}
			if _, ok := m.position(row + 1); ok != slices.Contains(rows, row+1) {
				t.Errorf("%v: row %d has a position: %v", rows, row+1, ok)
			}
		}
		if !slices.Equal(m.encode(), encoded) {
			t.Errorf("%v: another file", rows)
		}
		if err := (&rowMap{n: len(rows)}).take(encoded, 5); (err == nil) != (len(rows) == 0 || rows[len(rows)-1] < 5) {
			t.Errorf("%v below 5: %v", rows, err)
		}
	}
}
