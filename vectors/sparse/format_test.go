package sparse

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestFormat: rows are written as the package comment shows them, byte for byte, and files of this
// form are read by every later version.
func TestFormat(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		columns []uint32
		values  []float32
	}{{[]uint32{1, 4}, []float32{2, 1}}, {[]uint32{0}, []float32{3}}} {
		if err := w.Add(row.columns, row.values); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "rows.golden")
	if os.Getenv("KNNG_UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(hex.Dump(out.Bytes())), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.Dump(out.Bytes()); got != string(want) {
		t.Errorf("rows are written as\n%swant\n%s", got, want)
	}
	readGolden(t, want)
}

// readGolden reads the rows of the dump, which no writer of today has made.
func readGolden(t *testing.T, dump []byte) {
	t.Helper()
	var data []byte
	for line := range bytes.Lines(dump) {
		fields := bytes.Fields(bytes.SplitN(line, []byte("|"), 2)[0])
		for _, field := range fields[min(1, len(fields)):] {
			b, err := hex.DecodeString(string(field))
			if err != nil {
				t.Fatal(err)
			}
			data = append(data, b...)
		}
	}
	path := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := OpenedRows(f, path)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	text := ""
	for i := range rows.Len() {
		columns, values := rows.Row(i)
		text += fmt.Sprint(columns, values, " ")
	}
	if want := "[1 4] [2 1] [0] [3] "; text != want || rows.Columns() != 5 || rows.Nonzeros() != 3 {
		t.Errorf("rows %s of %d columns, %d values; want %s of 5 and 3", text, rows.Columns(), rows.Nonzeros(), want)
	}
	if version := binary.LittleEndian.Uint32(data[8:]); version != 1 {
		t.Errorf("version %d, want 1", version)
	}
}
