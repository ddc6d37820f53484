package vectors

import (
	"bytes"
	"path/filepath"
	"testing"
)

// TestViewIsAskedAhead: rows that an input shows in place are asked for where they stand in the mapping, be they of a row
// file or of another format. A view that knew no mapping read page after page, each when it was touched.
func TestViewIsAskedAhead(t *testing.T) {
	const n, dim = 300, 7
	for _, name := range []string{"rows.u8bin", "rows.i8bin", "rows.bvecs"} {
		path := filepath.Join(t.TempDir(), name)
		typ := Uint8
		if name == "rows.i8bin" {
			typ = Int8
		}
		w, err := Create(path, typ, dim)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if err := w.Append(bytes.Repeat([]byte{byte(i)}, dim), ""); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		in, err := Open([]string{path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		rows, ok := in.Mapped()
		if !ok {
			t.Fatalf("%s is not mapped", name)
		}
		m, from, to := rows.asked(123, 125)
		if m == nil || !bytes.HasPrefix(m.data[from:to], rows.Row(123)) || !bytes.HasPrefix(m.data[from+rows.Stride():to], rows.Row(124)) {
			t.Errorf("%s: rows 123 and 124 are asked for as bytes %d to %d of mapping %v", name, from, to, m != nil)
		}
		if err := rows.Close(); err != nil || rows.Row(5)[0] != 5 {
			t.Errorf("%s: closing a view: %v, row 5 is %v, want no change", name, err, rows.Row(5))
		}
	}
	memory, err := RowsOf(make([]byte, 8), 4, 2, 2, Uint8)
	if err != nil {
		t.Fatal(err)
	}
	if m, _, _ := memory.asked(0, 4); m != nil {
		t.Error("rows in memory are asked for")
	}
}
