package vectors_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/knng/knng/vectors"
)

func ExampleFromFunc() {
	// Rows of a program: here computed, elsewhere read from a database.
	rows, err := vectors.FromFunc(360, 2, func(i int, dst []float32) error {
		dst[0], dst[1] = float32(i%90), float32(i/90)
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	in := vectors.NewInput(rows) // for builder.Build
	fmt.Println(in.Len(), "rows of", in.Dim(), in.Type())
	// Output: 360 rows of 2 float32
}

// TestFromFuncIsFromFloat32: rows of a function are those of a slice, in any pieces.
func TestFromFuncIsFromFloat32(t *testing.T) {
	const n, dim = 50, 7
	data := make([]float32, n*dim)
	for i := range data {
		data[i] = float32(i*i) / 3
	}
	want, err := vectors.FromFloat32(data, dim)
	if err != nil {
		t.Fatal(err)
	}
	got, err := vectors.FromFunc(n, dim, func(i int, dst []float32) error {
		copy(dst, data[i*dim:])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for first := range n {
		for count := 0; first+count <= n; count += 1 + first%5 {
			a, b := make([]byte, 4*dim*count), make([]byte, 4*dim*count)
			if err := errors.Join(want.ReadRows(first, a), got.ReadRows(first, b)); err != nil || !bytes.Equal(a, b) {
				t.Fatalf("rows %d to %d differ: %v", first, first+count, err)
			}
		}
	}
}

func TestFromFuncErrors(t *testing.T) {
	broken := errors.New("connection lost")
	s, err := vectors.FromFunc(10, 3, func(i int, _ []float32) error {
		if i == 4 {
			return broken
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ReadRows(2, make([]byte, 12*4)); !errors.Is(err, broken) || !strings.Contains(err.Error(), "row 4") {
		t.Errorf("error %v", err)
	}
	for _, c := range [][2]int{{0, 5}, {-1, 12}, {10, 12}, {9, 24}} {
		if err := s.ReadRows(c[0], make([]byte, c[1])); err == nil {
			t.Errorf("%d bytes from row %d: no error", c[1], c[0])
		}
	}
	for _, shape := range [][2]int{{-1, 3}, {3, 0}, {3, vectors.MaxDim + 1}, {vectors.MaxRows + 1, 3}} {
		if _, err := vectors.FromFunc(shape[0], shape[1], nil); err == nil {
			t.Errorf("%v: no error", shape)
		}
	}
}
