package vectors_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/knng/knng/vectors"
)

// TestWillNeed: asking ahead changes nothing, wherever it begins and ends.
func TestWillNeed(t *testing.T) {
	const n, dim = 5000, 3
	data := make([]byte, n*dim)
	for i := range data {
		data[i] = byte(i * 7)
	}
	memory, err := vectors.RowsOf(data, n, dim, dim, vectors.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rows.u8bin")
	w, err := vectors.Create(path, vectors.Uint8, dim)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := w.Append(memory.Row(i), ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	in, err := vectors.Open([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	mapped, ok := in.Mapped()
	if !ok {
		t.Fatal("a u8bin file is not mapped")
	}
	for _, rows := range []*vectors.Rows{memory, mapped} {
		for _, r := range [][2]int{{0, 0}, {0, 1}, {1400, 2900}, {4999, 5000}, {4000, 9000}, {6000, 7000}, {3, 1}} {
			if err := rows.WillNeed(r[0], r[1]); err != nil {
				t.Errorf("rows %d to %d: %v", r[0], r[1], err)
			}
		}
		for i := range n {
			if !bytes.Equal(rows.Row(i), data[i*dim:(i+1)*dim]) {
				t.Fatalf("row %d is %v", i, rows.Row(i))
			}
		}
	}
}
