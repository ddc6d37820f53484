package vectors_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/vectors"
)

// npy64 is a .npy file of float64 rows.
func npy64(rows [][]float64, fortran bool) []byte {
	order := "False"
	if fortran {
		order = "True"
	}
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': %s, 'shape': (%d, %d), }", order, len(rows), len(rows[0]))
	b := []byte("\x93NUMPY\x01\x00")
	b = binary.LittleEndian.AppendUint16(b, uint16(len(head)+1))
	b = append(b, head+"\n"...)
	if fortran {
		for j := range rows[0] {
			for i := range rows {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(rows[i][j]))
			}
		}
		return b
	}
	for _, row := range rows {
		for _, x := range row {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b
}

// town is rows of metres, of seconds, and of ordinary numbers, with some values missing.
func town(n int) (rows [][]float64) {
	rng := rand.New(rand.NewPCG(3, 1))
	for i := range n {
		row := []float64{4.6e6 + 20*rng.Float64(), 1.7e9 + 86400*rng.Float64(), rng.NormFloat64(), 7}
		if i%20 == 3 {
			row[0] = 0
		}
		rows = append(rows, row)
	}
	return rows
}

// TestOffsets: columns of values close together and far from zero have an offset near them,
// others none, and rows less the offsets are exact to float32.
func TestOffsets(t *testing.T) {
	rows := town(3000)
	dir := t.TempDir()
	var text strings.Builder
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(npy64(rows, false))
	z.Close()
	for _, row := range rows {
		fmt.Fprintln(&text, strings.Trim(strings.ReplaceAll(fmt.Sprint(row), " ", ","), "[]"))
	}
	for name, data := range map[string][]byte{
		"x.npy": npy64(rows, false), "f.npy": npy64(rows, true), "x.npy.gz": packed.Bytes(), "x.csv": []byte(text.String()),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		in, err := vectors.Open([]string{path}, &vectors.OpenOptions{Scratch: dir})
		if err != nil {
			t.Fatal(err)
		}
		offsets, err := vectors.OffsetsOf(in)
		if err != nil || len(offsets) != 4 || math.Abs(offsets[0]-4.6e6) > 20 || math.Abs(offsets[1]-1.7e9) > 86400 || offsets[2] != 0 || offsets[3] != 0 {
			t.Fatalf("%s: offsets %v, %v", name, offsets, err)
		}
		c := vectors.Centered(in, offsets)
		buf := make([]byte, 16*len(rows))
		if err := c.ReadRows(0, buf); err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			for j, x := range row {
				got := math.Float32frombits(binary.LittleEndian.Uint32(buf[16*i+4*j:]))
				if want := float32(x - offsets[j]); got != want {
					t.Fatalf("%s: row %d, column %d: %v, want %v", name, i, j, got, want)
				}
			}
		}
		if r, err := vectors.RoundingOf(in, nil); err != nil || r.Column != 1 || r.Error < 16 || r.Error > 64 {
			t.Errorf("%s: rounding %+v, %v; want half of 128 at most, in column 1", name, r, err)
		}
		if r, err := vectors.RoundingOf(in, offsets); err != nil || r.Error > 0.004 || r.Rows == 0 {
			t.Errorf("%s: rounding %+v, %v", name, r, err)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestNoOffsets: rows that float32 holds, and ordinary ones, stay as they are.
func TestNoOffsets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	for name, value := range map[string]func() float64{
		"normal":      rng.NormFloat64,
		"positive":    rng.Float64,
		"float32":     func() float64 { return float64(float32(1e6 + rng.Float64())) },
		"integers":    func() float64 { return 1e6 + float64(rng.IntN(100)) },
		"all missing": math.NaN,
		"one value":   func() float64 { return 0.1 },
	} {
		var rows [][]float64
		for range 500 {
			rows = append(rows, []float64{value(), value()})
		}
		path := filepath.Join(t.TempDir(), "x.npy")
		if err := os.WriteFile(path, npy64(rows, false), 0o666); err != nil {
			t.Fatal(err)
		}
		in, err := vectors.Open([]string{path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if offsets, err := vectors.OffsetsOf(in); offsets != nil || err != nil {
			t.Errorf("%s: offsets %v, %v", name, offsets, err)
		}
		in.Close()
	}
}

// TestBeyondFloat32: a number that float32 does not hold is an error that names it, also in
// streams, which keep float64.
func TestBeyondFloat32(t *testing.T) {
	rows := town(10)
	rows[7][2] = 1e300
	dir := t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(npy64(rows, true))
	z.Close()
	path := filepath.Join(dir, "x.npy.gz")
	if err := os.WriteFile(path, packed.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := vectors.Open([]string{path}, &vectors.OpenOptions{Scratch: dir})
	if err == nil || !strings.Contains(err.Error(), "row 7, column 2: 1e+300 is beyond float32") || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}
