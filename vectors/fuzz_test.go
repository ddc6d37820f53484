package vectors

import (
	"bytes"
	"io"
	"testing"
)

// FuzzReadRows: rows of a file that is accepted can all be read, or what is
// wrong with one is told.
func FuzzReadRows(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		for ext, parse := range parsers {
			l, err := parseFile(parse, data)
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

// FuzzStream: what a stream gives is what a mapped file of the same bytes gives,
// and what one accepts so does the other.
func FuzzStream(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 2, 1, 0, 0, 0, 3})
	f.Add([]byte{2, 0, 0, 0, 1, 0, 0, 0, 5, 6})
	f.Add(append(npyOf("<f8", "(1, 1)"), 0, 0, 0, 0, 0, 0, 240, 63))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		for ext, parse := range parsers {
			var want, got []byte
			l, err := parseFile(parse, data)
			row := make([]byte, l.dim*l.typ.Size())
			mapped := &fileSource{m: &mapping{data: data}, layout: l}
			for i := 0; i < l.n && err == nil; i++ {
				err = mapped.ReadRows(i, row)
				want = append(want, row...)
			}
			s := new(rowStream)
			streamErr := s.begin("fuzz"+ext, bytes.NewReader(data), nil)
			row = make([]byte, s.dim*s.typ.Size())
			for streamErr == nil {
				if streamErr = s.next(row); streamErr == nil {
					got = append(got, row...)
				}
			}
			if streamErr == io.EOF {
				streamErr = nil
			}
			if (err == nil) != (streamErr == nil) || err == nil && !bytes.Equal(got, want) {
				t.Fatalf("%s: mapped %v, streamed %v", ext, err, streamErr)
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
