package vectors

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// numpyFile is a .npy file as NumPy writes it: version, order, and numbers of a kind.
func numpyFile(version byte, n number, fortran bool, rows [][]float64) []byte {
	order, kind := "<", string(n.kind)
	if n.big {
		order = ">"
	}
	if n.size == 1 {
		order = "|"
	}
	text := fmt.Sprintf("{'descr': '%s%s%d', 'fortran_order': %s, 'shape': (%d, %d), }", order, kind, n.size, map[bool]string{true: "True", false: "False"}[fortran], len(rows), len(rows[0]))
	head := []byte(npyMagic)
	if version == 1 {
		head = binary.LittleEndian.AppendUint16(append(head, 1, 0), uint16(len(text)+1))
	} else {
		head = binary.LittleEndian.AppendUint32(append(head, version, 0), uint32(len(text)+1))
	}
	data := append(head, text+"\n"...)
	put := func(x float64) {
		var bits uint64
		switch {
		case n.kind == 'f' && n.size == 2:
			bits = uint64(Float32ToFloat16(float32(x)))
		case n.kind == 'f' && n.size == 4:
			bits = uint64(math.Float32bits(float32(x)))
		case n.kind == 'f':
			bits = math.Float64bits(x)
		default:
			bits = uint64(int64(x))
		}
		b := binary.LittleEndian.AppendUint64(nil, bits)[:n.size]
		if n.big {
			b = binary.BigEndian.AppendUint64(nil, bits)[8-n.size:]
		}
		data = append(data, b...)
	}
	if fortran {
		for j := range rows[0] {
			for i := range rows {
				put(rows[i][j])
			}
		}
		return data
	}
	for _, row := range rows {
		for _, x := range row {
			put(x)
		}
	}
	return data
}

// numbers are all that files of NumPy may hold.
func numbers() (all []number) {
	for _, big := range []bool{false, true} {
		all = append(all, []number{{'f', 2, big}, {'f', 4, big}, {'f', 8, big}, {'i', 1, big}, {'i', 2, big}, {'i', 4, big}, {'i', 8, big},
			{'u', 1, big}, {'u', 2, big}, {'u', 4, big}, {'u', 8, big}, {'b', 1, big}}...)
	}
	return all
}

// TestNumPyNumbers: every kind of number in every order, mapped and as a stream, is read as
// the numbers that were written.
func TestNumPyNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	dir := t.TempDir()
	for i, n := range numbers() {
		for _, fortran := range []bool{false, true} {
			rows := make([][]float64, 1+rng.IntN(40))
			dim := 1 + rng.IntN(9)
			for r := range rows {
				for range dim {
					x := float64(rng.IntN(100))
					if n.kind == 'b' {
						x = float64(rng.IntN(2))
					} else if n.kind != 'u' && rng.IntN(2) == 0 {
						x = -x
					}
					rows[r] = append(rows[r], x)
				}
			}
			data := numpyFile(byte(1+i%3), n, fortran, rows)
			path := filepath.Join(dir, "x.npy")
			var zipped bytes.Buffer
			z := gzip.NewWriter(&zipped)
			z.Write(data)
			z.Close()
			write(t, path, data)
			write(t, path+".gz", append(zipped.Bytes(), make([]byte, 512*(i%3))...))
			writeZip(t, filepath.Join(dir, "x.npz"), map[string][]byte{"labels": npyOf("<i8", "(0,)"), "x": data})
			for _, name := range []string{path, path + ".gz", filepath.Join(dir, "x.npz")} {
				if err := holds(name, rows); err != nil {
					t.Errorf("%c%d, big %v, fortran %v, %s: %v", n.kind, n.size, n.big, fortran, filepath.Base(name), err)
				}
			}
		}
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func writeZip(t *testing.T, path string, members map[string][]byte) {
	t.Helper()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, data := range members {
		w, err := z.Create(name + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		w.Write(data)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, path, archive.Bytes())
}

// holds compares what is read of a file, whole and a row at a time, with numbers.
func holds(path string, rows [][]float64) error {
	in, err := Open([]string{path}, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	if in.Len() != len(rows) || in.Dim() != len(rows[0]) {
		return fmt.Errorf("%d rows of %d, want %d of %d", in.Len(), in.Dim(), len(rows), len(rows[0]))
	}
	size := in.Dim() * in.Type().Size()
	all, one, values := make([]byte, len(rows)*size), make([]byte, size), make([]float32, in.Dim())
	if err := in.ReadRows(0, all); err != nil {
		return err
	}
	for i := range rows {
		if err := in.ReadRows(i, one); err != nil {
			return err
		}
		if !bytes.Equal(one, all[i*size:(i+1)*size]) {
			return fmt.Errorf("row %d alone is %x, with others %x", i, one, all[i*size:(i+1)*size])
		}
		Decode(in.Type(), one, values)
		for j, x := range values {
			if float64(x) != rows[i][j] {
				return fmt.Errorf("row %d, column %d: %g, want %g", i, j, x, rows[i][j])
			}
		}
	}
	return nil
}

// TestInexactNumbers: what float32 does not hold is an error that names row and column, up to
// the last integer that it does.
func TestInexactNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	for _, c := range []struct {
		n    number
		x    float64
		want string // "" where it is held
	}{
		{number{'i', 4, false}, 1 << 24, ""},
		{number{'i', 4, false}, 1<<24 + 1, "row 1, column 2: 16777217 has more digits than float32 holds"},
		{number{'i', 8, true}, -(1<<24 + 1), "-16777217 has more digits than float32 holds"},
		{number{'i', 8, false}, -1 << 63, ""},
		{number{'u', 8, false}, 1<<53 - 1, "9007199254740991 has more digits than float32 holds"},
		{number{'u', 4, true}, 1 << 31, ""},
		{number{'f', 8, false}, 1e300, "1e+300 is beyond float32"},
	} {
		for _, fortran := range []bool{false, true} {
			rows := [][]float64{{1, 2, 3}, {4, 5, c.x}}
			write(t, path, numpyFile(1, c.n, fortran, rows))
			err := holds(path, rows)
			if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "row 1, column 2")) {
				t.Errorf("%v %g, fortran %v: %v, want %q", c.n, c.x, fortran, err, c.want)
			}
		}
	}
}

// TestNumPyHeaders: dictionaries that Python reads, whoever wrote them.
func TestNumPyHeaders(t *testing.T) {
	for _, text := range []string{
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
		`{"descr": "<f4", "fortran_order": False, "shape": (2, 3)}`,
		"{'shape' : (2L, 3L), 'fortran_order':False,'descr':'=f4'}",
		"{ 'fortran_order': False , 'shape':( 2,3 ,), 'descr': '<f4' , }",
	} {
		data := []byte(npyMagic + "\x01\x00")
		data = append(binary.LittleEndian.AppendUint16(data, uint16(len(text))), text...)
		l, err := npy(data)
		if err != nil || l.n != 2 || l.dim != 3 || l.typ != Float32 || l.offset != len(data) {
			t.Errorf("%s: %+v %v", text, l, err)
		}
	}
}

// TestArchives: the one matrix of an archive, or the one that is named.
func TestArchives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npz")
	a, b := [][]float64{{1, 2}, {3, 4}}, [][]float64{{5}, {6}}
	f4 := number{'f', 4, false}
	writeZip(t, path, map[string][]byte{"a": numpyFile(1, f4, false, a), "b": numpyFile(1, f4, true, b)})
	for column, want := range map[string]string{"": "2 arrays of two dimensions: choose one by --column; it has a, b", "c": `no array "c": it has a, b`} {
		if _, err := Open([]string{path}, &OpenOptions{Column: column}); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	in, err := Open([]string{path}, &OpenOptions{Column: "b"})
	if err != nil || in.Len() != 2 || in.Dim() != 1 || in.Files[0].Column != "b" {
		t.Fatalf("%+v %v", in, err)
	}
	in.Close()
	writeZip(t, path, map[string][]byte{"indices": nil, "indptr": nil, "data": nil, "format": nil, "shape": nil})
	if _, err := Open([]string{path}, nil); err == nil || !strings.Contains(err.Error(), "sparse matrix of SciPy") {
		t.Error(err)
	}
	writeZip(t, path, map[string][]byte{"labels": npyOf("<i8", "(0,)")})
	if _, err := Open([]string{path}, nil); !errors.Is(err, ErrRows) || !strings.Contains(err.Error(), "no array of two dimensions: it has labels") {
		t.Error(err)
	}
}

// TestTextIDs: ids come out in the order of rows, whatever quotes and ends of lines.
func TestTextIDs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	write(t, path, []byte("\ufeffx,id,y\r\n1,\"a \"\"b\"\"\",2\r\n3,\"c,d\",4\r\n5,e,6"))
	var ids strings.Builder
	in, err := Open([]string{path}, &OpenOptions{IDColumn: "id", IDs: &ids, Context: context.Background()})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if ids.String() != "a \"b\"\nc,d\ne\n" || in.Len() != 3 || in.Dim() != 2 {
		t.Errorf("%q, %d rows of %d", ids.String(), in.Len(), in.Dim())
	}
}
