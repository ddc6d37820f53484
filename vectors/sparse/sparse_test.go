package sparse

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/vectors/distance"
)

// npy is an array of one dimension, or of none where n is below 0, as NumPy writes it.
func npy(descr string, n int, data any) []byte {
	shape := fmt.Sprintf("(%d,)", n)
	if n < 0 {
		shape = "()"
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(head)))
	b.WriteString(head)
	binary.Write(&b, binary.LittleEndian, data)
	return b.Bytes()
}

// file is the members of an .npz.
type file map[string][]byte

// csr is a matrix as SciPy saves it.
func csr(rows, columns int64, indptr, indices []int32, data []float32) file {
	return file{
		"format": npy("|S3", -1, []byte("csr")), "shape": npy("<i8", 2, []int64{rows, columns}),
		"indptr": npy("<i4", len(indptr), indptr), "indices": npy("<i4", len(indices), indices), "data": npy("<f4", len(data), data),
	}
}

func (f file) with(name string, data []byte) file {
	g := file{}
	for n, d := range f {
		g[n] = d
	}
	g[name] = data
	if data == nil {
		delete(g, name)
	}
	return g
}

func (f file) bytes(method uint16) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range f {
		w, _ := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: method})
		w.Write(data)
	}
	z.Close()
	return b.Bytes()
}

func (f file) save(t testing.TB) string {
	path := filepath.Join(t.TempDir(), "x.npz")
	if err := os.WriteFile(path, f.bytes(zip.Deflate), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// readAll returns the rows as text.
func readAll(path string, limit int) (string, Found, error) {
	s, err := Open(path, limit)
	if err != nil {
		return "", Found{}, err
	}
	defer s.Close()
	var text []string
	found, err := s.Each(context.Background(), func(row int, columns []uint32, values []float32) error {
		text = append(text, fmt.Sprint(columns, values))
		return nil
	})
	return strings.Join(text, " "), found, err
}

var small = csr(3, 5, []int32{0, 2, 2, 5}, []int32{4, 1, 0, 3, 2}, []float32{1, 2, 3, 4, 5})

// TestReads: every form of a CSR matrix gives the same rows.
func TestReads(t *testing.T) {
	const want = "[1 4] [2 1] [] [] [0 2 3] [3 5 4]"
	for name, f := range map[string]file{
		"float32, int32": small,
		"int64":          small.with("indptr", npy("<i8", 4, []int64{0, 2, 2, 5})).with("indices", npy("<i8", 5, []int64{4, 1, 0, 3, 2})),
		"float64":        small.with("data", npy("<f8", 5, []float64{1, 2, 3, 4, 5})),
		"counts":         small.with("data", npy("<i8", 5, []int64{1, 2, 3, 4, 5})),
		"float16":        small.with("data", npy("<f2", 5, []uint16{0x3c00, 0x4000, 0x4200, 0x4400, 0x4500})),
		"big endian":     small.with("data", npy(">u2", 5, []uint16{1 << 8, 2 << 8, 3 << 8, 4 << 8, 5 << 8})),
		"unicode format": small.with("format", npy("<U3", -1, []uint32{'c', 's', 'r'})),
		"no format":      small.with("format", nil),
		"stored zeros":   csr(3, 5, []int32{0, 3, 4, 7}, []int32{4, 1, 0, 2, 0, 3, 2}, []float32{1, 2, 0, 0, 3, 4, 5}),
		"repeated":       csr(3, 5, []int32{0, 3, 5, 8}, []int32{4, 1, 1, 2, 2, 0, 3, 2}, []float32{1, 0.5, 1.5, 7, -7, 3, 4, 5}),
		"beyond the end": csr(3, 5, []int32{0, 2, 2, 5}, []int32{4, 1, 0, 3, 2, 1}, []float32{1, 2, 3, 4, 5, 6}),
	} {
		got, found, err := readAll(f.save(t), 0)
		if err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
		if zeros := map[string]int64{"stored zeros": 2, "repeated": 1}[name]; found.Zeros != zeros || found.Nonzeros != 5 || found.Added > 0 != (name == "repeated") {
			t.Errorf("%s: %+v", name, found)
		}
	}
	if got, _, err := readAll(small.save(t), 2); err != nil || got != "[1 4] [2 1] [] []" {
		t.Errorf("two rows: %s, %v", got, err)
	}
	path := filepath.Join(t.TempDir(), "stored.npz")
	os.WriteFile(path, small.bytes(zip.Store), 0o666)
	if got, _, err := readAll(path, 0); err != nil || got != want || !Is(path) {
		t.Errorf("not compressed: %s, %v", got, err)
	}
}

// TestRounds: float64 that float32 does not hold is rounded, counted and measured.
func TestRounds(t *testing.T) {
	f := small.with("data", npy("<f8", 5, []float64{0.1, 2, 3, 4, 1e-60}))
	got, found, err := readAll(f.save(t), 0)
	if err != nil || found.Rounded != 2 || found.Largest != 1 || found.Zeros != 1 || got != "[1 4] [2 0.1] [] [] [0 3] [3 4]" {
		t.Errorf("%s, %+v, %v", got, found, err)
	}
}

// TestRefuses: errors name the file, the place and the value expected.
func TestRefuses(t *testing.T) {
	inf := float32(math.Inf(1))
	if got, _, err := readAll(small.with("data", npy("<f4", 5, []float32{inf, 2, 3, 4, 5})).save(t), 0); err != nil || !strings.Contains(got, "+Inf") {
		t.Errorf("infinity is for who calls: %s, %v", got, err)
	}
	for want, f := range map[string]file{
		`a matrix of format "csc", want csr: scipy.sparse.save_npz('x.npz', m.tocsr()) writes it`: small.with("format", npy("|S3", -1, []byte("csc"))),
		`a matrix of format "coo", want csr`:                                                      {"format": npy("|S3", -1, []byte("coo")), "shape": small["shape"], "data": small["data"], "row": nil, "col": nil},
		`no array "indices", which scipy.sparse.save_npz writes: it has`:                          small.with("indices", nil),
		"indptr: row 2 begins at element 1, before row 1, which begins at element 2":              small.with("indptr", npy("<i4", 4, []int32{0, 2, 1, 5})),
		"indptr: row 0 begins at element 1, want 0":                                               small.with("indptr", npy("<i4", 4, []int32{1, 2, 2, 5})),
		"indptr: 3 elements, want 4: one for each of the 3 rows that shape counts, and one more":  small.with("indptr", npy("<i4", 3, []int32{0, 2, 5})),
		"indptr: elements of type <f4, want integers":                                             small.with("indptr", npy("<f4", 4, []float32{0, 2, 2, 5})),
		"indices: 5 elements, but by indptr the rows have 6":                                      small.with("indptr", npy("<i4", 4, []int32{0, 2, 2, 6})),
		"row 0: indices: column 5, but shape counts the columns 0 to 4":                           small.with("indices", npy("<i4", 5, []int32{5, 1, 0, 3, 2})),
		"row 2: indices: column -1, but shape counts the columns 0 to 4":                          small.with("indices", npy("<i4", 5, []int32{4, 1, 0, -1, 2})),
		"row 2: column 3: 1e+300 is beyond float32":                                               small.with("data", npy("<f8", 5, []float64{1, 2, 3, 1e300, 5})),
		"row 2: data: truncated: it ends in element 3 of 5":                                       small.with("data", small["data"][:len(small["data"])-8]),
		"row 2: indices: truncated: it ends in element 4 of 5":                                    small.with("indices", small["indices"][:len(small["indices"])-2]),
		"row 0: data: elements of type <c8":                                                       small.with("data", npy("<c8", 5, make([]float32, 10))),
		"shape: 268435457 columns, want 1 to 268435456":                                           small.with("shape", npy("<i8", 2, []int64{3, MaxColumns + 1})),
		"shape: -3 rows": small.with("shape", npy("<i8", 2, []int64{-3, 5})),
	} {
		path := f.save(t)
		if _, _, err := readAll(path, 0); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
		if !Is(path) {
			t.Errorf("not known as sparse: %s", want)
		}
	}
}

// TestTruncated: a file cut anywhere is an error, or no sparse file.
func TestTruncated(t *testing.T) {
	whole := small.bytes(zip.Deflate)
	path := filepath.Join(t.TempDir(), "cut.npz")
	for at := range len(whole) {
		os.WriteFile(path, whole[:at], 0o666)
		if _, _, err := readAll(path, 0); err == nil {
			t.Fatalf("%d of %d bytes are read", at, len(whole))
		}
	}
}

// written writes rows and maps them.
func written(t testing.TB, columns int, rows [][]float32) *Rows {
	path := filepath.Join(t.TempDir(), "rows")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(f, columns)
	for _, row := range rows {
		var at []uint32
		var values []float32
		for c, v := range row {
			if v != 0 {
				at, values = append(at, uint32(c)), append(values, v)
			}
		}
		if err == nil {
			err = w.Add(at, values)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenedRows(f, path)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	t.Cleanup(func() { r.Close() })
	return r
}

// TestKeys: rows come back, and keys are those of the definition over all columns.
func TestKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
	rows := make([][]float32, 40)
	for i := range rows {
		rows[i] = make([]float32, 30)
		for range 1 + i%9 {
			rows[i][rng.IntN(30)] = float32(rng.NormFloat64())
		}
	}
	r := written(t, 30, rows)
	dot := func(a, b int) (sum float64) {
		for c := range 30 {
			sum += float64(rows[a][c]) * float64(rows[b][c])
		}
		return sum
	}
	for a := range rows {
		for b := range rows {
			ip, cosine := float32(-dot(a, b)), float32(min(max(1-dot(a, b)/(math.Sqrt(dot(a, a))*math.Sqrt(dot(b, b))), 0), 2))
			if got := r.Key(distance.IP, a, b); got != ip {
				t.Fatalf("rows %d and %d: ip %v, want %v", a, b, got, ip)
			}
			if got := r.Key(distance.Cosine, a, b); got != cosine {
				t.Fatalf("rows %d and %d: cosine %v, want %v", a, b, got, cosine)
			}
		}
	}
}

// TestDamaged: a byte that changed is an error, or another value; it never panics.
func TestDamaged(t *testing.T) {
	r := written(t, 5, [][]float32{{0, 2, 0, 0, 1}, {}, {3, 0, 0, 0, 0}})
	whole := slices.Clone(r.file.Bytes())
	path := filepath.Join(t.TempDir(), "damaged")
	for at := range whole {
		for _, size := range []int{at, len(whole)} {
			data := slices.Clone(whole[:size])
			if size > at {
				data[at] ^= 0x81
			}
			os.WriteFile(path, data, 0o666)
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			d, err := OpenedRows(f, path)
			f.Close()
			if err == nil {
				d.Key(distance.Cosine, 0, d.Len()-1)
				d.Close()
			}
			if header := at < 12 || at >= headBytes+24 && size > at; err == nil && (size == at || header) {
				t.Fatalf("byte %d changed, %d bytes: no error", at, size)
			}
		}
	}
}

// FuzzSource: any file is read or refused, and its rows are in order.
func FuzzSource(f *testing.F) {
	f.Add(small["indptr"], small["indices"], small["data"], small["shape"], small["format"])
	f.Add(npy("<i8", 1, []int64{0}), npy("<i4", 0, []int32{}), npy("<f8", 0, []float64{}), npy("<i8", 2, []int64{0, 1}), small["format"])
	f.Add(npy("<u8", 2, []uint64{0, 1 << 63}), small["indices"], small["data"], npy("<i8", 2, []int64{1, 1}), npy("<U3", -1, []uint32{'c', 's', 'r'}))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, indptr, indices, data, shape, format []byte) {
		path := filepath.Join(dir, "x.npz")
		all := file{"indptr": indptr, "indices": indices, "data": data, "shape": shape, "format": format}
		if err := os.WriteFile(path, all.bytes(zip.Store), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path, 0)
		if err != nil {
			return
		}
		defer s.Close()
		if s.Len() > 1<<16 {
			return
		}
		w, err := NewWriter(io.Discard, s.Columns())
		if err != nil {
			t.Fatal(err)
		}
		s.Each(context.Background(), func(row int, columns []uint32, values []float32) error {
			for i, c := range columns {
				if int(c) >= s.Columns() || i > 0 && c <= columns[i-1] || values[i] == 0 {
					t.Fatalf("row %d: columns %v, values %v", row, columns, values)
				}
			}
			return w.Add(columns, values)
		})
	})
}
