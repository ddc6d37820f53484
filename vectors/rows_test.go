package vectors_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
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

// TestRowsInFile: rows that stand side by side in a mapped file are read where they stand, and none beyond its end.
func TestRowsInFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("headABCDEFtail"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := vectors.MapFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := f.Rows(4, 3, 2, vectors.Uint8)
	if err != nil || string(rows.Row(2)) != "EF" || rows.WillNeed(0, 3) != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]int{{4, 6}, {13, 1}, {15, 0}, {-1, 1}} {
		if _, err := f.Rows(c[0], c[1], 2, vectors.Uint8); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%d rows from byte %d: %v", c[1], c[0], err)
		}
	}
	if err := rows.Close(); err != nil || f.Close() != nil {
		t.Error(err)
	}
}
