package vectors

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestConvertLosesNothing: what a narrower type would turn into something else is an error
// that names row and column, and rounding is done where it is asked for.
func TestConvertLosesNothing(t *testing.T) {
	for _, c := range []struct {
		typ   Type
		round bool
		row   []float32
		want  string // in the error; "" for none
	}{
		{Int8, false, []float32{1, -128, 127}, ""},
		{Int8, false, []float32{0, 0, 0}, ""},
		{Int8, false, []float32{1, 0.25, 2}, "row 1: column 1: 0.25 is not a whole number, and int8 holds no others"},
		{Int8, true, []float32{1, 0.25, 2}, ""},
		{Int8, true, []float32{0.1, -0.4, 0.3}, "row 1: column 1: -0.4 is its largest value, and int8 would hold a row of zeros"},
		{Uint8, true, []float32{0.1, 0.6, 0.3}, ""},
		{Uint8, true, []float32{-1, 2, 3}, "row 1: column 0: -1 is beyond uint8"},
		{Float16, false, []float32{0.1, 0.2, 1e-9}, ""},
		{Float16, false, []float32{0, 1e-9, 0}, "row 1: column 1: 1e-09 is its largest value, and float16 would hold a row of zeros"},
		{Float16, false, []float32{0, 1e9, 0}, "row 1: column 1: 1e+09 is beyond float16"},
	} {
		w, err := Create(filepath.Join(t.TempDir(), "x.npy"), c.typ, 3)
		if err != nil {
			t.Fatal(err)
		}
		w.Round = c.round
		src, err := FromFloat32(append([]float32{1, 2, 3}, c.row...), 3)
		if err != nil {
			t.Fatal(err)
		}
		err = Convert(w, src, nil)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %v: %v, want %q", c.typ, c.row, err, c.want)
		}
		if err := w.Abort(); err != nil {
			t.Error(err)
		}
	}
}
