package input_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/builder/internal/buildtest"
	"github.com/knng/knng/builder/internal/input"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestHash: the hash is that of all bytes at once, however many chunks they are.
func TestHash(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 999, 4096, 4097, 20_000} {
		rows, _ := rowstest.Bytes(t, rng, n, 256, 256)
		want := strconv.FormatUint(xxhash.Sum64(rows.Base()[:256*n]), 16)
		if got, err := input.Hash(t.Context(), rows); err != nil || got != want {
			t.Errorf("%d rows: %s, %v, want %s", n, got, err, want)
		}
	}
}

// TestIDs: ids by a file and by a sequence are the same ids, and any other one, more or fewer are not
// or fail; those of dropped rows are left out.
func TestIDs(t *testing.T) {
	rows, space := rowstest.Bytes(t, rand.New(rand.NewPCG(1, 2)), 5, 2, 256)
	names := []string{"a", "zwei", "3", "4", "e e"}
	path := filepath.Join(t.TempDir(), "ids")
	if err := os.WriteFile(path, []byte(strings.Join(names, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	file, sequence := &input.IDs{Path: path}, &input.IDs{Names: slices.Values(names)}
	want, err := file.Hash(5, false)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := sequence.Hash(5, false); err != nil || got != want {
		t.Errorf("the sequence has %s, %v, the file %s", got, err, want)
	}
	if got, err := new(input.IDs).Hash(5, false); got != "off" || err != nil {
		t.Errorf("no ids have %s, %v", got, err)
	}
	for i := range names {
		others := slices.Clone(names)
		others[i] += "x"
		if got, err := (&input.IDs{Names: slices.Values(others)}).Hash(5, false); err != nil || got == want {
			t.Errorf("another id of row %d: %s, %v", i, got, err)
		}
	}
	for _, n := range []int{4, 6} {
		if _, err := sequence.Hash(n, false); err == nil {
			t.Errorf("5 ids of %d rows", n)
		}
	}
	for _, bad := range []string{"a\nb", "a\r", "\ufeffa"} {
		if _, err := (&input.IDs{Names: slices.Values([]string{bad})}).Hash(1, true); err == nil || !strings.Contains(err.Error(), "row 0") {
			t.Errorf("id %q: %v", bad, err)
		}
	}
	for _, ids := range []*input.IDs{file, sequence} {
		b := buildtest.New(t, rows, space, 2)
		for range 2 {
			if err := ids.Commit(b, 3, []uint32{1, 2}); err != nil {
				t.Fatal(err)
			}
		}
		if done, err := b.Draft.IDsDone(); !done || err != nil {
			t.Errorf("ids are there: %v, %v", done, err)
		}
	}
}

// TestCheck: inputs of which no graph can be made, and references to rows that are in no file.
func TestCheck(t *testing.T) {
	good, _ := rowstest.Bytes(t, rand.New(rand.NewPCG(1, 3)), 5, 2, 256)
	for _, c := range []struct {
		name string
		src  vectors.Source
		o    input.Options
		want error
	}{
		{"rows", good, input.Options{}, nil},
		{"none", shape{0, 2}, input.Options{}, errors.New("no rows")},
		{"too many", shape{vectors.MaxRows + 1, 2}, input.Options{}, errors.New("at most")},
		{"no columns", shape{5, 0}, input.Options{}, errors.New("dimension 0")},
		{"too many columns", shape{5, vectors.MaxDim + 1}, input.Options{}, errors.New("dimension")},
		{"rows in memory, referenced", good, input.Options{Reference: true}, input.ErrReference},
	} {
		err := input.Check(vectors.NewInput(c.src), c.o)
		if c.want == nil && err != nil || c.want != nil && (err == nil || !errors.Is(err, c.want) && !strings.Contains(err.Error(), c.want.Error())) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// shape is an input of which only the description counts.
type shape struct{ n, dim int }

func (s shape) Len() int                   { return s.n }
func (s shape) Dim() int                   { return s.dim }
func (s shape) Type() vectors.Type         { return vectors.Uint8 }
func (s shape) ReadRows(int, []byte) error { return errors.ErrUnsupported }

// TestScaled: rows whose squares float32 does not hold are multiplied by a power of two, exactly, and the
// manifest notes it; others are left as they are.
func TestScaled(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, exponent := range []int{-100, -70, 0, 20, 90} {
		const n, dim = 50, 4
		data := make([]float32, n*dim)
		for i := range data {
			data[i] = float32(math.Ldexp(1+rng.Float64(), exponent))
		}
		rows, err := vectors.RowsOf(unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), 4*len(data)), n, dim, 4*dim, vectors.Float32)
		if err != nil {
			t.Fatal(err)
		}
		src := vectors.NewInput(rows)
		scaled, s, err := input.Scaled("", src, input.Options{Metric: distance.Euclidean})
		if err != nil {
			t.Fatal(err)
		}
		var m store.Manifest
		if s.Record(&m); (len(m.Options) == 1) != (s.Exponent != 0) || m.Scale() != s.Exponent {
			t.Errorf("2^%d: scaled by 2^%d, the manifest has %v", exponent, s.Exponent, m.Options)
		}
		got := make([]byte, 4*dim)
		for i := range n {
			if err := scaled.ReadRows(i, got); err != nil {
				t.Fatal(err)
			}
			var want []byte
			for _, x := range data[i*dim : (i+1)*dim] {
				bits := math.Float32bits(float32(math.Ldexp(float64(x), s.Exponent)))
				want = append(want, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("2^%d: row %d is % x, want % x", exponent, i, got, want)
			}
		}
		largest := math.Ldexp(2, exponent+s.Exponent)
		if squares := largest * largest; squares > math.MaxFloat32/4 || squares < 0x1p-126 {
			t.Errorf("2^%d: scaled by 2^%d squares are %g", exponent, s.Exponent, squares)
		}
		if own, of, err := input.Scaled("", src, input.Options{Own: true}); own != src || of.Exponent != 0 || err != nil {
			t.Errorf("rows of a distance of one's own are scaled: %+v, %v", of, err)
		}
		var said []string
		if s.Tell(func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }); (len(said) > 0) != (s.Exponent != 0) {
			t.Errorf("2^%d: %q is said", exponent, said)
		}
	}
}

// wide is a column of float64.
type wide []float64

func (w wide) Len() int           { return len(w) }
func (w wide) Dim() int           { return 1 }
func (w wide) Type() vectors.Type { return vectors.Float32 }
func (w wide) ReadWide(first int, dst []float64) error {
	copy(dst, w[first:])
	return nil
}
func (w wide) ReadRows(first int, dst []byte) error {
	for i := range len(dst) / 4 {
		binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(float32(w[first+i])))
	}
	return nil
}

// TestRowsThatVanish: rows that float32 would make zeros are refused, by an element as it was given and the
// offset that it is held less.
func TestRowsThatVanish(t *testing.T) {
	for want, w := range map[string]wide{
		"row 2, column 0: 3e-60 is 0 as float32":                               {1e-60, 2e-60, 3e-60},
		"row 2, column 0: 1.00000000003e-36 less the offset 1.00000000001e-36": {1e-36, 1.00000000001e-36, 1.00000000003e-36},
	} {
		_, _, err := input.Scaled("", vectors.NewInput(w), input.Options{Metric: distance.Euclidean})
		if !errors.Is(err, vectors.ErrRows) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: is refused: %t: %v", w, errors.Is(err, vectors.ErrRows), err)
		}
	}
}
