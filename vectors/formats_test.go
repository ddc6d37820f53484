package vectors

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// someRows makes n rows of a type with values that every conversion keeps.
func someRows(t Type, n, dim int) []byte {
	rng := rand.New(rand.NewPCG(uint64(t), 9))
	rows := make([]byte, 0, n*dim*t.Size())
	for range n * dim {
		v := rng.IntN(100)
		switch t {
		case Float32:
			rows = binary.LittleEndian.AppendUint32(rows, math.Float32bits(float32(v)/4))
		case Float16:
			rows = binary.LittleEndian.AppendUint16(rows, Float32ToFloat16(float32(v)/4))
		default:
			rows = append(rows, byte(v))
		}
	}
	return rows
}

func writeRows(t *testing.T, path string, typ Type, rows []byte, dim int, ids bool) {
	t.Helper()
	w, err := Create(path, typ, dim)
	if err != nil {
		t.Fatal(err)
	}
	size := dim * typ.Size()
	for i := 0; i*size < len(rows); i++ {
		id := ""
		if ids {
			id = strings.Repeat("é", i%3) + string(rune('a'+i%26))
		}
		if err := w.Append(rows[i*size:(i+1)*size], id); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func readAll(t *testing.T, s Source) []byte {
	t.Helper()
	rows := make([]byte, s.Len()*s.Dim()*s.Type().Size())
	if err := s.ReadRows(0, rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

var everyFormat = []struct {
	name string
	typ  Type
}{{"x.fvecs", Float32}, {"x.bvecs", Uint8}, {"x.fbin", Float32}, {"x.u8bin", Uint8}, {"x.i8bin", Int8},
	{"x.npy", Float32}, {"x16.npy", Float16}, {"x8.npy", Uint8}, {"xi8.NPY", Int8}}

func TestEveryFormatRoundTrips(t *testing.T) {
	for _, f := range everyFormat {
		for _, dim := range []int{1, 3, 128} {
			const n = 17
			path := filepath.Join(t.TempDir(), f.name)
			want := someRows(f.typ, n, dim)
			writeRows(t, path, f.typ, want, dim, true)
			in, err := Open([]string{path, path}, &OpenOptions{Limit: n + 5})
			if err != nil {
				t.Fatal(err)
			}
			if in.Len() != n+5 || in.Dim() != dim || in.Type() != f.typ || in.Files[1].Rows != 5 {
				t.Fatalf("%s: %d rows of %d %v, files %+v", f.name, in.Len(), in.Dim(), in.Type(), in.Files)
			}
			if got := readAll(t, in); !bytes.Equal(got, append(bytes.Clone(want), want[:5*dim*f.typ.Size()]...)) {
				t.Errorf("%s: rows differ", f.name)
			}
			if err := in.Files[0].Check(); err != nil {
				t.Error(err)
			}
			in.Close()
			checkMapped(t, path, want, n)
		}
	}
}

// checkMapped compares the rows in place.
func checkMapped(t *testing.T, path string, want []byte, n int) {
	t.Helper()
	in, err := Open([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	rows, ok := in.Mapped()
	if !ok {
		t.Fatalf("%s cannot be mapped", path)
	}
	size := rows.Dim() * rows.Type().Size()
	for i := range n {
		if !bytes.Equal(rows.Row(i), want[i*size:(i+1)*size]) {
			t.Fatalf("%s: mapped row %d differs", path, i)
		}
	}
}

func TestCompressedInputs(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "x.fvecs")
	want := someRows(Float32, 50, 7)
	writeRows(t, plain, Float32, want, 7, false)
	data, _ := os.ReadFile(plain)
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	w.Write(data)
	w.Close()
	z, _ := zstd.NewWriter(nil)
	for name, packed := range map[string][]byte{"x.fvecs.gz": gz.Bytes(), "x.fvecs.zst": z.EncodeAll(data, nil)} {
		path := filepath.Join(dir, name)
		os.WriteFile(path, packed, 0o666)
		scratch := filepath.Join(dir, "scratch")
		in, err := Open([]string{path}, &OpenOptions{Scratch: scratch})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(readAll(t, in), want) {
			t.Errorf("%s: rows differ", name)
		}
		in.Close()
		if left, _ := os.ReadDir(scratch); len(left) != 0 {
			t.Errorf("%s: %d files left in the scratch folder", name, len(left))
		}
		os.WriteFile(path, packed[:len(packed)/2], 0o666)
		if _, err := Open([]string{path}, &OpenOptions{Scratch: scratch}); err == nil {
			t.Errorf("%s cut in half: no error", name)
		}
	}
}

// packed is data as a .gz and as a .zst.
func packed(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	w.Write(data)
	w.Close()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{".gz": gz.Bytes(), ".zst": z.EncodeAll(data, nil)}
}

// TestStreams: every format, packed, between files that are not, with and without
// a limit, gives the rows that the files give.
func TestStreams(t *testing.T) {
	const n, dim = 30, 5
	for ext := range parsers {
		dir := t.TempDir()
		typ := cmp.Or(written[ext].typ, Float32)
		plain := filepath.Join(dir, "x"+ext)
		want := someRows(typ, n, dim)
		writeRows(t, plain, typ, want, dim, false)
		data, _ := os.ReadFile(plain)
		for pack, bytesOf := range packed(t, data) {
			path := plain + pack
			os.WriteFile(path, bytesOf, 0o666)
			for _, limit := range []int{0, n, n + 1, 2*n + 7, 3 * n} {
				in, err := Open([]string{path, plain, path}, &OpenOptions{Scratch: dir, Limit: limit})
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				all, rows := bytes.Repeat(want, 3), 3*n
				if limit > 0 {
					rows = limit
				}
				if _, mapped := in.Mapped(); !mapped || !bytes.Equal(readAll(t, in), all[:rows*dim*typ.Size()]) {
					t.Errorf("%s, limit %d: rows differ", path, limit)
				}
				first := 0
				for i, f := range in.Files {
					if f.First != first || f.Rows != min(n, rows-first) || f.Cut != (first+n > rows) {
						t.Errorf("%s, limit %d, file %d: %+v", path, limit, i, f)
					}
					first += f.Rows
				}
				in.Close()
			}
		}
	}
}

// TestStreamsCut: where a stream ends too early, the error names row and byte.
func TestStreamsCut(t *testing.T) {
	const n, dim = 20, 6
	want := someRows(Uint8, n, dim)
	for ext, c := range map[string]struct {
		header, stride int
		boundary       string // what is wrong where whole rows are left
	}{
		".bvecs": {0, 4 + dim, ""},
		".u8bin": {8, dim, "the stream ends, want 20 rows"},
	} {
		plain := filepath.Join(t.TempDir(), "x"+ext)
		writeRows(t, plain, Uint8, want, dim, false)
		data, _ := os.ReadFile(plain)
		path := plain + ".gz"
		for _, rest := range []int{0, 3} {
			os.WriteFile(path, packed(t, data[:c.header+7*c.stride+rest])[".gz"], 0o666)
			in, err := Open([]string{path}, nil)
			message := c.boundary
			if rest > 0 {
				message = fmt.Sprintf("cut short, 3 of %d bytes", c.stride)
			}
			if message == "" {
				if err != nil || in.Len() != 7 {
					t.Errorf("%s of 7 rows: %v", ext, err)
				}
				in.Close()
				continue
			}
			at := fmt.Sprintf("row 7 at byte %d: %s", c.header+7*c.stride, message)
			if err == nil || !strings.Contains(err.Error(), at) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: error %v, want %q", ext, err, at)
			}
		}
		os.WriteFile(path, append(packed(t, data)[".gz"], packed(t, []byte{1, 0})[".gz"]...), 0o666)
		if _, err := Open([]string{path}, nil); err == nil {
			t.Errorf("%s with more behind it: no error", ext)
		}
		whole := packed(t, data)[".gz"]
		os.WriteFile(path, whole[:len(whole)-9], 0o666) // the packing itself is cut
		if _, err := Open([]string{path}, nil); err == nil || !strings.Contains(err.Error(), "byte ") {
			t.Errorf("%s, cut .gz: %v", ext, err)
		}
	}
}

// TestHostileWindow: a few bytes of zstd that ask for a gigabyte.
func TestHostileWindow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.u8bin.zst")
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 20 << 3, 1<<3 | 1, 0, 0, 'x'}
	if err := os.WriteFile(path, frame, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open([]string{path}, nil); err == nil || !strings.Contains(err.Error(), "window") {
		t.Errorf("error %v, want one about the window", err)
	}
}

func TestFloat64IsConverted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	file := append(make([]byte, 0), npyOf("<f8", "(2, 2)")...)
	for _, x := range []float64{1.5, -2, 3, 1e300} {
		file = binary.LittleEndian.AppendUint64(file, math.Float64bits(x))
	}
	os.WriteFile(path, file, 0o666)
	in, err := Open([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var row [8]byte
	if err := in.ReadRows(0, row[:]); err != nil || math.Float32frombits(binary.LittleEndian.Uint32(row[4:])) != -2 {
		t.Errorf("row 0: %v %v", row, err)
	}
	if err := in.ReadRows(1, row[:]); err == nil || !strings.Contains(err.Error(), "row 1, column 1: 1e+300 is beyond float32") {
		t.Errorf("row 1: %v", err)
	}
}

func npyOf(descr, shape string) []byte {
	text := "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n"
	return append([]byte(npyMagic+"\x01\x00"), append([]byte{byte(len(text)), 0}, text...)...)
}

func TestDamagedFiles(t *testing.T) {
	u32 := func(v ...uint32) (b []byte) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		return b
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty.npy", nil, "the file is empty"},
		{"empty.fvecs", nil, "the file is empty"},
		{"short.bvecs", []byte{1, 2}, "too short"},
		{"cut.fvecs", append(u32(2), 1, 2, 3, 4, 5), "truncated"},
		{"zero.fvecs", u32(0, 0), "dimension 0"},
		{"huge.bvecs", u32(1<<30, 0), "dimension 1073741824"},
		{"cut.u8bin", append(u32(10, 4), 1, 2, 3), "want 10 rows of 4 bytes"},
		{"hostile.fbin", u32(math.MaxUint32, math.MaxUint32), "dimension"},
		{"none.u8bin", u32(0, 4), "no rows"},
		{"magic.npy", bytes.Repeat([]byte("x"), 100), "magic"},
		{"header.npy", []byte(npyMagic + "\x01\x00\xff\xffabcd"), "header of 65535 bytes"},
		{"fortran.npy", bytes.Replace(npyOf("<f4", "(1, 1)"), []byte("False"), []byte("Maybe"), 1), "fortran_order is Maybe"},
		{"columns.npy", append(bytes.Replace(npyOf("<f4", "(2, 2)"), []byte("False"), []byte("True "), 1), 0, 0, 0, 0), "want 2 rows of 8 bytes"},
		{"flat.npy", append(npyOf("<f4", "(1,)"), 0, 0, 0, 0), "two dimensions"},
		{"cut.npy", append(npyOf("<f4", "(3, 2)"), 0, 0, 0, 0), "want 3 rows of 8 bytes"},
		{"negative.npy", append(npyOf("<f4", "(-3, 2)"), 0, 0, 0, 0), "shape of -3 rows"},
		{"gzip.npy", []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00"), "but one of gzip"},
		{"zstd.npy", []byte("\x28\xb5\x2f\xfd\x00\x00\x00\x00"), "but one of zstd"},
		{"zip.npy", []byte("PK\x03\x04"), "but one of zip"},
		{"int.npy", append(npyOf("<i3", "(1, 1)"), 0, 0, 0, 0), "save it by astype"},
		{"object.npy", append(npyOf("|O", "(1, 1)"), 0, 0, 0, 0), "i8 or bool"},
		{"order.npy", append(npyOf("<>f4", "(1, 1)"), 0, 0, 0, 0), "elements of type <>f4"},
		{"shape.npy", append(npyOf("<f4", "[1, 1]"), 0, 0, 0, 0), "want a tuple"},
		{"x.hdf5", []byte("abc"), "h5py.File"},
		{"x.h5ad", []byte("abc"), "anndata.read_h5ad"},
		{"x.parquet", []byte("PAR1"), "pandas.read_parquet"},
		{"x.feather", []byte("ARROW1"), "pandas.read_feather"},
		{"parquet.npy", []byte("PAR1        "), "but one of Parquet"},
		{"nothing", []byte("abc"), "no extension"},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		os.WriteFile(path, c.data, 0o666)
		if in, err := Open([]string{path}, nil); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s: %v %v, want an error with %q", c.name, in, err, c.want)
		}
	}
	wrong := filepath.Join(t.TempDir(), "wrong.bvecs")
	os.WriteFile(wrong, append(append(u32(4), 1, 2, 3, 4), append(u32(5), 1, 2, 3, 4)...), 0o666)
	in, err := Open([]string{wrong}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := in.ReadRows(0, make([]byte, 8)); err == nil || !strings.Contains(err.Error(), "row 1 at byte 8: dimension 5, want 4") {
		t.Errorf("a row of another dimension: %v", err)
	}
}

func TestInputsMustAgree(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.u8bin"), filepath.Join(dir, "b.u8bin")
	writeRows(t, a, Uint8, someRows(Uint8, 2, 3), 3, false)
	writeRows(t, b, Uint8, someRows(Uint8, 2, 4), 4, false)
	if _, err := Open([]string{a, b}, nil); err == nil || !strings.Contains(err.Error(), "a.u8bin") || !strings.Contains(err.Error(), "b.u8bin") {
		t.Errorf("error %v, want one that names both", err)
	}
}

func TestChangedFilesAreNoticed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.u8bin")
	rows := someRows(Uint8, 1000, 30)
	writeRows(t, path, Uint8, rows, 30, false)
	in, err := Open([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	file := in.Files[0]
	rows[0]++
	writeRows(t, path, Uint8, rows, 30, false)
	if err := file.Check(); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("another first row: %v", err)
	}
	writeRows(t, path, Uint8, rows[:30], 30, false)
	if err := file.Check(); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("another size: %v", err)
	}
}

func TestTruncatedUnderTheMapping(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.u8bin")
	writeRows(t, path, Uint8, someRows(Uint8, 4000, 16), 16, false)
	in, err := Open([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := os.Truncate(path, 100); err != nil {
		t.Skip("this system does not truncate mapped files:", err)
	}
	if err := in.ReadRows(3000, make([]byte, 16)); !errors.Is(err, ErrFault) {
		t.Errorf("error %v, want ErrFault", err)
	}
}

func TestFloat16(t *testing.T) {
	for h := range 1 << 16 {
		f := Float16ToFloat32(uint16(h))
		back := Float32ToFloat16(f)
		if back != uint16(h) && !(f != f && back&0x7e00 == 0x7e00) {
			t.Fatalf("%#04x is %v and back %#04x", h, f, back)
		}
	}
	// Halfway cases go to the even neighbor, and so does everything between.
	rng := rand.New(rand.NewPCG(5, 5))
	for range 100000 {
		f := math.Float32frombits(rng.Uint32())
		if f != f || math.Abs(float64(f)) >= 65520 {
			continue
		}
		got := Float16ToFloat32(Float32ToFloat16(f))
		h := Float32ToFloat16(f)
		for _, other := range []uint16{h - 1, h + 1} {
			o := Float16ToFloat32(other)
			near, far := math.Abs(float64(f)-float64(got)), math.Abs(float64(f)-float64(o))
			if far < near || far == near && h&1 == 1 {
				t.Fatalf("%v rounds to %v, but %v is nearer", f, got, o)
			}
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := Create(filepath.Join(dir, "x.fvecs"), Uint8, 3); err == nil {
		t.Error("bytes in .fvecs")
	}
	w, err := Create(filepath.Join(dir, "x.u8bin"), Uint8, 2)
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"300":         w.AppendFloat32([]float32{1, 300}, ""),
		"NaN":         w.AppendFloat32([]float32{float32(math.NaN()), 0}, ""),
		"three":       w.AppendFloat32([]float32{1, 2, 3}, ""),
		"newline":     w.Append([]byte{1, 2}, "a\nb"),
		"not UTF-8":   w.Append([]byte{1, 2}, "\xff"),
		"short bytes": w.Append([]byte{1}, ""),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	w.Close()
}

// TestWriterAside: a file has its name when it is whole, and what is given up leaves
// nothing, nor harms what was there.
func TestWriterAside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.u8bin")
	if err := os.WriteFile(path, []byte("before"), 0o666); err != nil {
		t.Fatal(err)
	}
	begin := func() *Writer {
		w, err := Create(path, Uint8, 2)
		if err == nil {
			err = w.Append([]byte{1, 2}, "a")
		}
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	names := func() (names []string) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	w := begin()
	if text, _ := os.ReadFile(path); string(text) != "before" {
		t.Errorf("%q stands there before Close", text)
	}
	if err := w.Abort(); err != nil || !slices.Equal(names(), []string{"x.u8bin"}) {
		t.Errorf("given up: %v, %v are left", err, names())
	}
	w = begin()
	if err := errors.Join(w.Close(), w.Close(), w.Abort()); err != nil || !slices.Equal(names(), []string{"x.u8bin", "x.u8bin.ids"}) {
		t.Errorf("closed: %v, %v are there", err, names())
	}
	w = begin()
	w.n = mostCounted
	if err := w.Append([]byte{1, 2}, "b"); err == nil || !strings.Contains(err.Error(), "holds at most 4294967295 rows") {
		t.Errorf("more rows than the header can promise: %v", err)
	}
	if err := w.Abort(); err != nil {
		t.Error(err)
	}
}

func TestAudit(t *testing.T) {
	data := []float32{1, 2, 0, 0, 1, 2, float32(math.NaN()), 1, 3e38, 0, float32(math.Copysign(0, -1)), 0}
	rows, _ := FromFloat32(data, 2)
	var sums []uint64
	for _, threads := range []int{1, 3} {
		sum, err := Checksum(rows, AuditOptions{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, sum)
		r, err := Audit(rows, AuditOptions{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.NonFinite) != 1 || r.NonFinite[0] != 3 || len(r.Zero) != 2 || len(r.TooLarge) != 1 || r.TooLarge[0] != 4 || r.Duplicates != 2 {
			t.Errorf("%+v", r)
		}
		sums = append(sums, r.Checksum)
	}
	if len(slices.Compact(sums)) != 1 {
		t.Errorf("the checksum depends on the threads, or on what else is looked at: %x", sums)
	}
	many, _ := RowsOf(make([]byte, 300_000), 300_000, 1, 1, Uint8)
	many.data[299_999] = 1
	r, err := Audit(many, AuditOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := Checksum(many, AuditOptions{Threads: 2}); err != nil || sum != r.Checksum {
		t.Errorf("%x %v, the audit's is %x", sum, err, r.Checksum)
	}
}

func TestRowFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "rows")
	want := someRows(Float16, 9, 5)
	w, err := CreateRows(path, 9, 5, Float16)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(want[:40])
	if err := w.Commit(); err == nil {
		t.Error("committed with rows missing")
	}
	w.Write(want[40:])
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenRows(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(readAll(t, r), want) || r.Type() != Float16 || r.Dim() != 5 {
		t.Error("rows differ")
	}
	r.Close()
	good, _ := os.ReadFile(path)
	for at := range 40 { // every byte of the header counts
		bad := bytes.Clone(good)
		bad[at] ^= 1
		os.WriteFile(path, bad, 0o666)
		if r, err := OpenRows(path); err == nil {
			t.Errorf("byte %d changed: no error", at)
			r.Close()
		}
	}
	for _, size := range []int{0, 100, rowsHeader, len(good) - 1} {
		os.WriteFile(path, good[:size], 0o666)
		if _, err := OpenRows(path); err == nil {
			t.Errorf("cut to %d bytes: no error", size)
		}
	}
}

func FuzzParsers(f *testing.F) {
	f.Add(append(npyOf("<f4", "(1, 1)"), 0, 0, 0, 0))
	f.Add([]byte{1, 0, 0, 0, 2, 0, 0, 0, 9, 9})
	f.Add([]byte{2, 0, 0, 0, 7, 7})
	f.Fuzz(func(t *testing.T, data []byte) {
		for ext, parse := range parsers {
			l, err := parseFile(parse, data)
			if err != nil {
				continue
			}
			size := l.dim * l.typ.Size()
			if l.from.size == 8 {
				size = 8 * l.dim
			}
			if l.n < 0 || l.dim < 1 || l.n > 0 && l.offset+(l.n-1)*l.stride+size > len(data) {
				t.Fatalf("%s: %+v in %d bytes", ext, l, len(data))
			}
		}
	})
}
