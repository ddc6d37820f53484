package export

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// Readers of the formats, written from their definitions alone.

// fixed is a matrix as a format of fixed width holds it.
type fixed struct {
	rows, width int
	indices     []int64
	values      []float32 // nil where the format has none
}

// differs compares with the graph, value by value.
func (f fixed) differs(g *graph, o Options) error {
	width := g.k
	if o.Self {
		width++
	}
	if f.rows != g.Len() || f.width != width || len(f.indices) != f.rows*f.width || f.values != nil && len(f.values) != f.rows*f.width {
		return fmt.Errorf("%d x %d, %d indices and %d values, want %d x %d", f.rows, f.width, len(f.indices), len(f.values), g.Len(), width)
	}
	for row := range g.Len() {
		var indices []int64
		var values []float32
		if o.Self && (len(g.lists[row]) > 0 || g.k == 0) {
			indices, values = append(indices, int64(row)), append(values, 0)
		}
		for i, n := range g.lists[row] {
			value := g.keys[row][i]
			if o.Format != GT {
				value = float32(math.Sqrt(float64(value)))
			}
			indices, values = append(indices, int64(n)), append(values, value)
		}
		for len(indices) < width {
			indices, values = append(indices, -1), append(values, float32(math.Inf(1)))
		}
		for i := range width {
			at := row*width + i
			if f.indices[at] != indices[i] || f.values != nil && f.values[at] != values[i] {
				return fmt.Errorf("row %d: %v, want %v %v", row, f.indices[at-i:at-i+width], indices, values)
			}
		}
	}
	return nil
}

func slurp(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func int32s(data []byte) (out []int64) {
	for ; len(data) >= 4; data = data[4:] {
		out = append(out, int64(int32(binary.LittleEndian.Uint32(data))))
	}
	return out
}

func float32s(data []byte) []float32 {
	out := []float32{}
	for ; len(data) >= 4; data = data[4:] {
		out = append(out, math.Float32frombits(binary.LittleEndian.Uint32(data)))
	}
	return out
}

func readGT(t *testing.T, g *graph, o Options) fixed {
	data := slurp(t, exported(t, g, o, "g.gt"))
	head := int32s(data[:8])
	body := data[8:]
	return fixed{int(head[0]), int(head[1]), int32s(body[:len(body)/2]), float32s(body[len(body)/2:])}
}

func readIBin(t *testing.T, g *graph, o Options) fixed {
	path := exported(t, g, o, "g.ibin")
	rows, distances := slurp(t, path), slurp(t, filepath.Join(filepath.Dir(path), "g.fbin"))
	if string(rows[:8]) != string(distances[:8]) {
		t.Fatalf("heads %x and %x", rows[:8], distances[:8])
	}
	head := int32s(rows[:8])
	return fixed{int(head[0]), int(head[1]), int32s(rows[8:]), float32s(distances[8:])}
}

func readIVecs(t *testing.T, g *graph, o Options) fixed {
	all := int32s(slurp(t, exported(t, g, o, "g.ivecs")))
	f := fixed{width: int(all[0])}
	for len(all) > 0 {
		if int(all[0]) != f.width {
			t.Fatalf("row %d of %d entries", f.rows, all[0])
		}
		f.rows++
		f.indices = append(f.indices, all[1:1+f.width]...)
		all = all[1+f.width:]
	}
	return f
}

func readNPY(t *testing.T, g *graph, o Options) fixed {
	dir := exported(t, g, o, "g")
	descr, shape, body := npyParts(t, slurp(t, filepath.Join(dir, "indices.npy")))
	if descr != "<i4" || len(shape) != 2 {
		t.Fatalf("indices are %s of shape %v", descr, shape)
	}
	descr, other, values := npyParts(t, slurp(t, filepath.Join(dir, "distances.npy")))
	if descr != "<f4" || fmt.Sprint(other) != fmt.Sprint(shape) {
		t.Fatalf("distances are %s of shape %v", descr, other)
	}
	return fixed{shape[0], shape[1], int32s(body), float32s(values)}
}

var npyText = regexp.MustCompile(`^\{'descr': '([^']+)', 'fortran_order': False, 'shape': \(((?:\d+,)*)\), \} *\n$`)

func npyParts(t *testing.T, data []byte) (descr string, shape []int, body []byte) {
	t.Helper()
	length := int(binary.LittleEndian.Uint16(data[8:]))
	m := npyText.FindStringSubmatch(string(data[10 : 10+length]))
	if string(data[:8]) != "\x93NUMPY\x01\x00" || m == nil || (10+length)%64 != 0 {
		t.Fatalf("header %q", data[:10+length])
	}
	for _, digits := range regexp.MustCompile(`\d+`).FindAllString(m[2], -1) {
		n, _ := strconv.Atoi(digits)
		shape = append(shape, n)
	}
	return m[1], shape, data[10+length:]
}

func readNPZ(t *testing.T, g *graph, o Options) (cells []cell) {
	z, err := zip.OpenReader(exported(t, g, o, "g.npz"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	members := map[string][]byte{}
	kinds := ""
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r) // checks the CRC
		if err != nil {
			t.Fatal(err)
		}
		descr, shape, body := npyParts(t, data)
		kinds += fmt.Sprint(f.Name, " ", descr, " ", len(shape), "; ")
		members[f.Name] = body
	}
	if want := "indices.npy <i4 1; indptr.npy <i4 1; format.npy |S3 0; shape.npy <i8 1; data.npy <f4 1; "; kinds != want {
		t.Fatalf("members %s\nwant %s", kinds, want)
	}
	if n := uint64(g.Len()); string(members["format.npy"]) != "csr" || binary.LittleEndian.Uint64(members["shape.npy"]) != n || binary.LittleEndian.Uint64(members["shape.npy"][8:]) != n {
		t.Fatalf("format %q, shape %x", members["format.npy"], members["shape.npy"])
	}
	ends, columns, data := int32s(members["indptr.npy"]), int32s(members["indices.npy"]), float32s(members["data.npy"])
	if len(ends) != g.Len()+1 || int(ends[g.Len()]) != len(columns) || len(columns) != len(data) {
		t.Fatalf("%d ends, %d columns, %d data", len(ends), len(columns), len(data))
	}
	for row := range g.Len() {
		for i := ends[row]; i < ends[row+1]; i++ {
			cells = append(cells, cell{uint32(row), uint32(columns[i]), data[i]})
		}
	}
	return cells
}
