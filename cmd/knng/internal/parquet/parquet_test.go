package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/knng/knng/vectors"
)

type wide struct {
	Name  string    `parquet:"name"`
	Num   int64     `parquet:"num"`
	Vec   []float32 `parquet:"vec,list"`
	Other []float64 `parquet:"other,list"`
}

type narrow struct {
	Vec  []float32 `parquet:"vec,list"`
	Text string    `parquet:"text"`
}

func file[T any](t *testing.T, rows []T, opts ...parquet.WriterOption) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[T](f, opts...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	return path
}

func lines(n, dim int) (rows []narrow) {
	for i := range n {
		r := narrow{Text: fmt.Sprint("t", i)}
		for j := range dim {
			r.Vec = append(r.Vec, float32(i)+float32(j)/16)
		}
		rows = append(rows, r)
	}
	return rows
}

// read returns the .npy stream of a file.
func read(path, column string) ([]byte, error) {
	p, err := Open(path, column)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	r := p.NPY()
	defer r.Close()
	return io.ReadAll(r)
}

// TestRows: the stream is the .npy file of the vectors, whatever pages and groups they
// stand in.
func TestRows(t *testing.T) {
	const n, dim = 700, 5
	path := file(t, lines(n, dim), parquet.PageBufferSize(256), parquet.MaxRowsPerRowGroup(123), parquet.Compression(&parquet.Snappy))
	got, err := read(path, "")
	if err != nil {
		t.Fatal(err)
	}
	head := 10 + int(binary.LittleEndian.Uint16(got[8:]))
	if head%64 != 0 || !strings.Contains(string(got[:head]), "'<f4', 'fortran_order': False, 'shape': (700, 5)") {
		t.Errorf("header %q", got[:head])
	}
	if len(got) != head+4*n*dim {
		t.Fatalf("%d bytes, want %d", len(got), head+4*n*dim)
	}
	for i := range n * dim {
		want := float32(i/dim) + float32(i%dim)/16
		if x := math.Float32frombits(binary.LittleEndian.Uint32(got[head+4*i:])); x != want {
			t.Fatalf("row %d element %d is %v, want %v", i/dim, i%dim, x, want)
		}
	}
}

// TestIDs: strings and integers are ids, a line each.
func TestIDs(t *testing.T) {
	path := file(t, []wide{{"a", 5, []float32{1}, []float64{2}}, {"ü", -7, []float32{3}, []float64{4}}})
	p, err := Open(path, "other")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for column, want := range map[string]string{"name": "a\nü\n", "num": "5\n-7\n"} {
		var b bytes.Buffer
		if err := p.WriteIDs(&b, column); err != nil || b.String() != want {
			t.Errorf("%s: %q, %v, want %q", column, b.String(), err, want)
		}
	}
	for column, want := range map[string]string{"vec": "want strings or integers", "none": "the file has name, num, vec, other"} {
		if err := p.WriteIDs(io.Discard, column); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", column, err, want)
		}
	}
}

// TestBad: each fault is named with what was found and what was expected.
func TestBad(t *testing.T) {
	ragged := lines(10, 4)
	ragged[7].Vec = ragged[7].Vec[:2]
	long := lines(10, 4)
	long[3].Vec = append(long[3].Vec, 1)
	empty := lines(10, 4)
	empty[5].Vec = nil
	text := filepath.Join(t.TempDir(), "t.parquet")
	os.WriteFile(text, []byte("no parquet at all"), 0o666)
	for _, c := range []struct{ path, column, want string }{
		{file(t, ragged), "", "row 7 has 2 elements, row 0 has 4"},
		{file(t, long), "", "row 3 has more than the 4 elements of row 0"},
		{file(t, empty), "", "row 5 of column vec"},
		{file(t, lines(3, 2)), "text", "want a list of numbers"},
		{file(t, lines(3, 2)), "nope", `no column "nope", the file has vec, text`},
		{file(t, []wide{{"a", 1, []float32{1}, []float64{1}}}), "", "choose one by --column"},
		{file(t, []narrow{}), "", "no rows"},
		{text, "", "no Parquet file"},
		{t.TempDir(), "", "no regular file"},
	} {
		if _, err := read(c.path, c.column); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// FuzzDamaged: a damaged file is an error or other rows, never a panic.
func FuzzDamaged(f *testing.F) {
	path := filepath.Join(f.TempDir(), "x")
	out, err := os.Create(path)
	if err != nil {
		f.Fatal(err)
	}
	w := parquet.NewGenericWriter[narrow](out)
	if _, err := w.Write(lines(40, 3)); err != nil {
		f.Fatal(err)
	}
	w.Close()
	out.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint(10), byte(1))
	f.Add(uint(len(whole)-9), byte(255))
	damaged := filepath.Join(f.TempDir(), "damaged")
	f.Fuzz(func(t *testing.T, at uint, by byte) {
		b := bytes.Clone(whole)
		b[at%uint(len(b))] ^= by
		if err := os.WriteFile(damaged, b, 0o666); err != nil {
			t.Fatal(err)
		}
		_, _ = read(damaged, "")
	})
}

// TestOfArrow: files that pyarrow wrote (lists, lists of fixed size, all four kinds of
// elements, several codecs and both versions of pages) are read as what they hold:
// element j of row i is i + j/4, of int8 four times that.
func TestOfArrow(t *testing.T) {
	for name, value := range map[string]func(b []byte, i int) float64{
		"list-float": func(b []byte, i int) float64 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		},
		"fixed-double": func(b []byte, i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])) },
		"list-half": func(b []byte, i int) float64 {
			return float64(vectors.Float16ToFloat32(binary.LittleEndian.Uint16(b[2*i:])))
		},
		"list-int8": func(b []byte, i int) float64 { return float64(int8(b[i])) / 4 },
	} {
		path := filepath.Join("testdata", name+".parquet")
		got, err := read(path, "vec")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		body := got[10+int(binary.LittleEndian.Uint16(got[8:])):]
		for i := range 27 {
			if x, want := value(body, i), float64(i/3)+float64(i%3)/4; x != want {
				t.Errorf("%s: row %d element %d is %v, want %v", name, i/3, i%3, x, want)
			}
		}
		p, err := Open(path, "vec")
		if err != nil {
			t.Fatal(err)
		}
		var ids bytes.Buffer
		if err := p.WriteIDs(&ids, "name"); err != nil || !strings.HasPrefix(ids.String(), "id-0\nid-1\n") {
			t.Errorf("%s: ids %q, %v", name, ids.String(), err)
		}
		p.Close()
	}
}
