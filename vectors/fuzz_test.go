package vectors

import (
	"bytes"
	"testing"
)

// FuzzReadRows: rows of a file that is accepted can all be read, or what is
// wrong with one is told.
func FuzzReadRows(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		for ext, parse := range parsers {
			l, err := parse(data)
			if err != nil {
				continue
			}
			s := &fileSource{path: "fuzz" + ext, m: &mapping{data: data, size: int64(len(data))}, layout: l}
			row := make([]byte, l.dim*l.typ.Size())
			for i := range l.n {
				s.ReadRows(i, row)
			}
			if err := s.ReadRows(l.n, row); err == nil {
				t.Fatalf("%s: row %d of %d was read", ext, l.n, l.n)
			}
		}
	})
}

// FuzzRowFile: a row file that is accepted is the one that its rows make.
func FuzzRowFile(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := rowsIn(&mapping{path: "fuzz", data: data, size: int64(len(data))})
		if err != nil {
			return
		}
		var rows []byte
		for i := range r.Len() {
			rows = append(rows, r.Row(i)...)
		}
		if head := encodeHeader(r.Len(), r.Dim(), r.Type()); !bytes.Equal(data[rowsHeader:], rows) || !bytes.Equal(data[:rowsSummed+8], head[:rowsSummed+8]) {
			t.Fatal("accepted, and read as other rows")
		}
	})
}
