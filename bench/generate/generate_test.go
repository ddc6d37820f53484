package generate

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/knng/knng/bench/judge"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

func read(t testing.TB, n, dim int, typ vectors.Type, seed uint64, first, rows int) []byte {
	t.Helper()
	r, err := New(n, dim, typ, seed)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, rows*dim*typ.Size())
	if err := r.ReadRows(first, dst); err != nil {
		t.Fatal(err)
	}
	return dst
}

// A row is the same whatever stands before and after it, and whatever its type.
func TestPrefix(t *testing.T) {
	for _, typ := range []vectors.Type{vectors.Uint8, vectors.Float16, vectors.Float32} {
		all := read(t, 5000, 33, typ, 1, 0, 5000)
		size := 33 * typ.Size()
		if few := read(t, 700, 33, typ, 1, 0, 700); !bytes.Equal(few, all[:len(few)]) {
			t.Errorf("%v: 700 rows are not the first of 5000", typ)
		}
		if few := read(t, MaxRows, 33, typ, 1, 3001, 17); !bytes.Equal(few, all[3001*size:3018*size]) {
			t.Errorf("%v: rows 3001 to 3017 differ from those of a whole reading", typ)
		}
		if other := read(t, 5000, 33, typ, 2, 0, 5000); bytes.Equal(other, all) {
			t.Errorf("%v: seeds 1 and 2 give the same rows", typ)
		}
	}
}

// The rows that a seed gives never change: results name no more than the seed.
func TestGolden(t *testing.T) {
	got := read(t, 1, 16, vectors.Uint8, 1, 0, 1)
	want := []byte{111, 127, 122, 104, 148, 188, 123, 156, 136, 134, 129, 156, 112, 130, 124, 117}
	if !bytes.Equal(got, want) {
		t.Errorf("row 0 of seed 1 is %v, want %v", got, want)
	}
	if last := read(t, MaxRows, 16, vectors.Uint8, 1, MaxRows-1, 1); bytes.Equal(last, got) {
		t.Error("the first and the last row are equal")
	}
}

func TestWrite(t *testing.T) {
	for name, typ := range map[string]vectors.Type{"x.u8bin": vectors.Uint8, "x.npy": vectors.Float16, "x.fbin": vectors.Float32} {
		path := filepath.Join(t.TempDir(), name)
		r, err := New(12345, 20, typ, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Write(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if want := read(t, 12345, 20, typ, 1, 0, 12345); !bytes.HasSuffix(data, want) {
			t.Errorf("%s does not end with the rows", name)
		}
	}
}

// Neighbors see neither a line nor noise, even among few rows, and elements keep
// within what uint8 holds.
func TestShape(t *testing.T) {
	const n, dim = 20000, 128
	data := read(t, n, dim, vectors.Uint8, 1, 0, n)
	rows, err := vectors.RowsOf(data, n, dim, dim, vectors.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	j, err := judge.Sampled(t.Context(), rows, distance.Euclidean, 100, 200, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d := Estimate(200, j.Exact); d.Median < 9 || d.Median > 25 || d.Rows != 200 {
		t.Errorf("intrinsic dimension %+v, want 9 to 25", d)
	}
	ends := bytes.Count(data, []byte{0}) + bytes.Count(data, []byte{255})
	if share := float64(ends) / float64(len(data)); share > 0.01 {
		t.Errorf("%.4f of all elements stand at an end of uint8", share)
	}
}

// A cube of d dimensions, whose neighbors' distances grow as j^(1/d), has d.
func TestEstimate(t *testing.T) {
	for _, d := range []float64{1, 5, 20} {
		const k = 2000
		keys := make([]float32, k+2)
		for j := range k {
			keys[j+2] = float32(math.Pow(float64(j+1)/k, 2/d)) // after two copies
		}
		got := Estimate(3, func(int) []float32 { return keys })
		if math.Abs(got.Median/d-1) > 0.01 || math.Abs(got.Mean-got.Median) > 1e-9 || got.Rows != 3 {
			t.Errorf("%v dimensions: %+v", d, got)
		}
	}
	if got := Estimate(1, func(int) []float32 { return []float32{0, 0, 0} }); got.Rows != 0 {
		t.Errorf("of copies alone: %+v", got)
	}
}

func TestBad(t *testing.T) {
	for _, f := range []func() (*Rows, error){
		func() (*Rows, error) { return New(0, 8, vectors.Uint8, 1) },
		func() (*Rows, error) { return New(MaxRows+1, 8, vectors.Uint8, 1) },
		func() (*Rows, error) { return New(1, 0, vectors.Uint8, 1) },
		func() (*Rows, error) { return New(1, 8, vectors.Int8, 1) },
	} {
		if _, err := f(); err == nil {
			t.Error("no error")
		}
	}
	r, err := New(10, 8, vectors.Uint8, 1)
	if err != nil {
		t.Fatal(err)
	}
	if r.ReadRows(8, make([]byte, 3*8)) == nil || r.ReadRows(0, make([]byte, 7)) == nil {
		t.Error("rows beyond the last, or parts of rows, were read")
	}
}

func BenchmarkRows(b *testing.B) {
	r, err := New(1<<13, 128, vectors.Uint8, 1)
	if err != nil {
		b.Fatal(err)
	}
	dst := make([]byte, r.Len()*128)
	b.SetBytes(int64(len(dst)))
	for b.Loop() {
		if err := r.ReadRows(0, dst); err != nil {
			b.Fatal(err)
		}
	}
}
